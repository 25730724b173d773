import type { Guard } from '../guard.ts';

const SCHEMA = 'src/db/migrations/initial.sql';
const CREATE = 'src/orders/create-order.ts';
const EXACT = 'test/attacks/exact-amounts.test.ts';

/** Which payments an agent may make. Each live order has a unique amount. */
export const PAYMENTS: readonly Guard[] = [
  {
    name: 'payment: a receipt without a known status is no verdict',
    file: 'src/adapters/chain-evm.ts',
    text: "if (status !== 'success') throw new ChainUnavailable(chain, 'the receipt has no known status');",
    without: "if (status !== 'success') return { kind: 'invalid', reason: 'The transaction was reverted' };",
    attack: {
      file: 'test/system/chains/evm-verifier.test.ts',
      name: 'whose status is neither success nor failure',
    },
  },
  {
    name: 'pay: a copy that comes too late gets the order of the first',
    file: 'src/orders/pay.ts',
    text: '      if (first) return replay(first, requestHash);',
    without: '      if (first && requestHash.length === 0) return replay(first, requestHash);',
    attack: { file: 'test/attacks/exact-amounts.test.ts', name: 'and all get its order' },
  },
  {
    name: 'pay: the agent’s limit has room',
    file: SCHEMA,
    text: 'then perform refuse_exposure(counted, cap); end if;\n    return active;',
    without: 'then null; end if;\n    return active;',
    attack: {
      file: 'test/api/exposure.test.ts',
      name: 'pass up to the limit, and not a hundredth of the currency above it',
    },
  },
  {
    name: 'pay: parallel payments of an agent wait for each other',
    file: SCHEMA,
    text: 'is_active into cap, active from agent_key where id = agent for no key update;',
    without: 'is_active into cap, active from agent_key where id = agent;',
    attack: {
      file: 'test/db/exposure.test.ts',
      name: 'payments that begin before the others commit stay within the limit',
    },
  },
  {
    name: 'pay: the agent’s key is active',
    file: CREATE,
    text: 'and is_active and not exists (select from paused)',
    without: 'and not exists (select from paused)',
    attack: {
      file: 'test/db/create-order.test.ts',
      name: 'an agent whose key is revoked between the request and the statement',
    },
  },
  {
    name: 'pay: nothing is paused',
    file: CREATE,
    text: 'and is_active and not exists (select from paused)',
    without: 'and is_active',
    attack: {
      file: 'test/api/pauses.test.ts',
      name: 'refuses payments and claims with a reason, and changes nothing',
    },
  },
  {
    name: 'pause: a mistyped currency is refused, so that no pause only looks as if it was in force',
    file: 'src/orders/known-currency.ts',
    text: 'if (known.has(currency)) return;',
    without: 'if (known.size > 0) return;',
    attack: {
      file: 'test/api/pauses.test.ts',
      name: 'of a currency that nothing uses is refused, with the one that may be meant',
    },
  },
  {
    name: 'pay: an idempotency key stands for one order',
    file: CREATE,
    text: 'and ($key::varchar is null or exists (select from idempotency))',
    without: '',
    attack: {
      file: 'test/api/payments.test.ts',
      name: 'in a hundred concurrent requests creates one order and one workflow',
    },
  },
  {
    name: 'pay: a rate lock belongs to its agent',
    file: CREATE,
    text: 'and id = $rateLockId::varchar and agent_key_id = $agent_key_id::bigint and order_id is null',
    without: 'and id = $rateLockId::varchar and order_id is null',
    attack: { file: 'test/db/create-order.test.ts', name: 'the rate lock of another agent' },
  },
  {
    name: 'pay: a rate lock ends',
    file: CREATE,
    text: 'and order_id is null and expires_at > now()',
    without: 'and order_id is null',
    attack: { file: 'test/db/create-order.test.ts', name: 'a rate lock that has expired' },
  },
  {
    name: 'pay: a rate lock is used once',
    file: CREATE,
    text: 'and agent_key_id = $agent_key_id::bigint and order_id is null and',
    without: 'and agent_key_id = $agent_key_id::bigint and',
    attack: { file: 'test/db/create-order.test.ts', name: 'a rate lock that was used' },
  },
  {
    name: 'pay: a rate lock gives its amount to its own payment',
    file: CREATE,
    text: 'and r.rate_lock_id = rate.id',
    without: 'and false',
    attack: {
      file: EXACT,
      name: 'holds its amount against payments and other locks, and gives it to its own',
    },
  },
  {
    name: 'amount: no two live orders ask for the same',
    file: SCHEMA,
    text: 'where reserved_amount.order_id = excluded.order_id or reserved_amount.expires_at <= now();',
    without: 'where true;',
    attack: { file: EXACT, name: 'cannot be shared, even by a direct insert of an order' },
  },
  {
    name: 'amount: a new order reserves its amount',
    file: SCHEMA,
    text: `when (new.status not in ('completed', 'cancelled')) execute function reserve_amount();`,
    without: `when (new.status = 'claimed') execute function reserve_amount();`,
    attack: { file: EXACT, name: 'that is the last free one goes to one of two parallel payments' },
  },
  {
    name: 'amount: the suffix is worth less than a cent',
    file: 'src/domain/exact-amount.ts',
    text: "const SUFFIX_USD = '0.01';",
    without: "const SUFFIX_USD = '0.02';",
    attack: {
      file: 'test/unit/exact-amount.test.ts',
      name: 'are never below the price, less than a cent above it, and in the token’s precision',
    },
  },
];
