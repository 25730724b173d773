import type { Guard } from '../guard.ts';

const CLAIM = 'src/orders/steps/claim.ts';
const MAY_CLAIM = 'src/market/lps/may-claim.ts';
const SCHEMA = 'src/db/migrations/initial.sql';
const TERMS = 'test/attacks/claim-terms.test.ts';

/** Which orders an LP may claim, and what it locks. The claim's statement decides, whatever command arrived through Temporal. */
export const CLAIMS: readonly Guard[] = [
  {
    name: 'claim: the LP is approved',
    file: CLAIM,
    text: `"lp.status = 'approved'"`,
    without: "'true'",
    attack: { file: TERMS, name: 'is refused if the LP is suspended by then' },
  },
  {
    name: 'claim: the LP does not cool down',
    file: CLAIM,
    text: "`not ${isCoolingDown('lp', '$strikeCoolDown')}`",
    without: "'$strikeCoolDown::float8 is not null'",
    attack: { file: TERMS, name: 'is refused if the LP cools down by then' },
  },
  {
    name: 'claim: the command has not waited too long',
    file: CLAIM,
    text: "'now() <= $validUntil::timestamptz'",
    without: "'$validUntil::timestamptz is not null'",
    attack: {
      file: 'test/workflow/reconciler.test.ts',
      name: 'a claim that waited too long for a worker is void',
    },
  },
  {
    name: 'claim: the agent’s key has not expired',
    file: 'src/db/revoked-agent.ts',
    text: '(agent_key.expires_at is null or agent_key.expires_at > now())',
    without: 'true',
    attack: { file: 'test/workflow/revocation.test.ts', name: 'whose key has expired cannot be claimed' },
  },
  {
    name: 'claim: the agent’s key is active',
    file: CLAIM,
    text: "    agentKeyIsValid('orders'),\n",
    without: '',
    attack: {
      file: 'test/workflow/revocation.test.ts',
      name: 'a claim that a worker carries out after the deletion is refused by the step',
    },
  },
  {
    name: 'claim: nothing is paused',
    file: CLAIM,
    text: "    `not exists (${pausesToObey(paymentOf('orders'))})`,\n",
    without: '',
    attack: { file: 'test/api/pauses.test.ts', name: 'a claim that waits in Temporal is refused as well' },
  },
  {
    name: 'claim: the agent’s limit has room',
    file: CLAIM,
    text: "    'require_room_to_claim(orders.agent_key_id, orders.amount_usd)',\n",
    without: '',
    attack: {
      file: 'test/api/exposure.test.ts',
      name: 'stay within the new limit, however many come at once',
    },
  },
  {
    name: 'claim: parallel claims of an agent wait for each other',
    file: SCHEMA,
    text: 'select max_exposure_usd into cap from agent_key where id = agent for no key update;',
    without: 'select max_exposure_usd into cap from agent_key where id = agent;',
    attack: {
      file: 'test/db/exposure.test.ts',
      name: 'claims that begin before the others commit stay within a lowered limit',
    },
  },
  {
    name: 'claim: the LP has an address for this token and chain',
    file: CLAIM,
    text: "'lp.id = $lpId and asset.symbol = orders.crypto_symbol and asset.chain = orders.crypto_chain'",
    without: "'lp.id = $lpId'",
    attack: {
      file: TERMS,
      name: 'a claim by an LP with addresses for other tokens and chains only is refused',
    },
  },
  {
    name: 'claim: the collateral is that of the LP’s tier',
    file: CLAIM,
    text: "requiredCollateral('orders.amount_usd', 'lp.tier')",
    without: "requiredCollateral('orders.amount_usd', '4')",
    attack: { file: TERMS, name: 'locks what its tier requires, whatever the command says' },
  },
  {
    name: 'claim: the LP has the collateral',
    file: SCHEMA,
    text: 'constraint lp_collateral_available_not_negative check (available >= 0)',
    without: 'constraint lp_collateral_available_not_negative check (true)',
    attack: {
      file: 'test/api/claims.test.ts',
      name: 'of ten orders with collateral for three locks three, and never more',
    },
  },
  {
    name: 'auto-claim: the LP’s terms apply',
    file: CLAIM,
    text: "`($cause <> 'auto-claim' or ${autoClaimTakes('lp', 'orders')})`",
    without: "'true'",
    attack: { file: TERMS, name: 'it has none' },
  },
  {
    name: 'auto-claim: the LP has turned it on',
    file: MAY_CLAIM,
    text: 'and auto.enabled and',
    without: 'and',
    attack: { file: TERMS, name: 'it is off' },
  },
  {
    name: 'auto-claim: the LP’s largest order',
    file: MAY_CLAIM,
    text: '${order}.amount_usd <= auto.max_amount_usd',
    without: 'true',
    attack: { file: TERMS, name: 'the order is larger' },
  },
  {
    name: 'auto-claim: the LP’s currencies',
    file: MAY_CLAIM,
    text: '${order}.currency = any (auto.currencies)',
    without: 'true',
    attack: { file: TERMS, name: 'the currency is not listed' },
  },
  {
    name: 'auto-claim: the LP’s own rate',
    file: MAY_CLAIM,
    text: "join lp_rate rate on rate.lp_id = auto.lp_id and ${servesOrder('rate', order)}",
    without: 'cross join (select 1e9 as rate_usd) rate',
    attack: { file: TERMS, name: 'without a valid rate of its own' },
  },
  {
    name: 'auto-claim: the LP’s minimum profit',
    file: MAY_CLAIM,
    text: '* 0.0001 - auto.min_profit_usd) *',
    without: '* 0.0001) *',
    attack: { file: TERMS, name: 'the profit is too small' },
  },
  {
    name: 'auto-claim: the claim deadline',
    file: MAY_CLAIM,
    text: ' and ${order}.timeout_at > now()',
    without: '',
    attack: { file: TERMS, name: 'after the claim deadline' },
  },
];
