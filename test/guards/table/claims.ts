import { inFile } from '../guard.ts';

const CLAIM = 'src/orders/steps/claim.ts';
const MAY_CLAIM = 'src/market/lps/may-claim.ts';
const TERMS = 'test/attacks/claim-terms.test.ts';
const SCHEMA = 'src/db/migrations/functions.sql';

/** Which orders an LP may claim, and what it locks. The claim's statement decides, whatever command arrived through Temporal. */
export const CLAIMS = [
  ...inFile(CLAIM, TERMS, [
    ['claim: the collateral is that of the LP’s tier', "requiredCollateral('orders.amount_usd', 'lp.tier')",
      "requiredCollateral('orders.amount_usd', '4')",
      'locks what its tier requires, whatever the command says']]),
  ...inFile('src/db/revoked-agent.ts', 'test/workflow/revocation.test.ts', [
    ['claim: the agent’s key has not expired',
      '(agent_key.expires_at is null or agent_key.expires_at > now())', 'true',
      'whose key has expired cannot be claimed']]),
  ...inFile(SCHEMA, 'test/db/exposure.test.ts', [
    ['claim: parallel claims of an agent wait for each other',
      'select max_exposure_usd into cap from agent_key where id = agent for no key update;',
      'select max_exposure_usd into cap from agent_key where id = agent;',
      'claims that begin before the others commit stay within a lowered limit']]),
  ...inFile(MAY_CLAIM, TERMS, [
    ['auto-claim: the LP has turned it on', 'auto.enabled and ', '', 'it is off'],
    ['auto-claim: the LP’s largest order', 'orders.amount_usd <= auto.max_amount_usd', 'true',
      'the order is larger'],
    ['auto-claim: the LP’s currencies', 'orders.currency = any (auto.currencies)', 'true',
      'the currency is not listed'],
    ['auto-claim: the LP’s own rate',
      "join lp_rate rate on rate.lp_id = auto.lp_id and ${servesOrder('rate', 'orders')}",
      'cross join (select 1e9 as rate_usd) rate', 'without a valid rate of its own'],
    ['auto-claim: the LP’s minimum profit', '* 0.0001 - auto.min_profit_usd) *', '* 0.0001) *',
      'the profit is too small'],
    ['auto-claim: the claim deadline', 'orders.timeout_at > now()', 'true', 'after the claim deadline']]),
];
