import { inFile } from '../guard.ts';

const EXACT = 'test/attacks/exact-amounts.test.ts';
const SCHEMA = 'src/db/migrations/functions.sql';
const CREATE = 'src/orders/create-order.ts';

/** Which payments an agent may make. Each live order has a unique amount. */
export const PAYMENTS = [
  ...inFile('src/adapters/chain-evm.ts', 'test/system/chains/evm-verifier.test.ts', [
    ['payment: a receipt without a known status is no verdict',
      "if (status !== 'success') throw new ChainUnavailable(chain, 'the receipt has no known status');",
      "if (status !== 'success') return { kind: 'invalid', reason: 'The transaction was reverted' };",
      'whose status is neither success nor failure']]),
  ...inFile('src/orders/pay.ts', EXACT, [
    ['pay: a copy that comes too late gets the order of the first',
      '      if (first) return replay(first, requestHash);',
      '      if (first && requestHash.length === 0) return replay(first, requestHash);',
      'and all get its order']]),
  ...inFile(SCHEMA, 'test/api/exposure.test.ts', [
    ['pay: the agent’s limit has room',
      'then perform refuse_exposure(counted, cap); end if;\n    return active;',
      'then null; end if;\n    return active;',
      'pass up to the limit, and not a hundredth of the currency above it']]),
  ...inFile(SCHEMA, 'test/db/exposure.test.ts', [
    ['pay: parallel payments of an agent wait for each other',
      'is_active into cap, active from agent_key where id = agent for no key update;',
      'is_active into cap, active from agent_key where id = agent;',
      'payments that begin before the others commit stay within the limit']]),
  ...inFile(CREATE, 'test/db/create-order.test.ts', [
    ['pay: the agent’s key is active', 'and is_active and not exists (select from paused)',
      'and not exists (select from paused)',
      'an agent whose key is revoked between the request and the statement'],
    ['pay: a rate lock belongs to its agent',
      'and id = $rateLockId::varchar and agent_key_id = $agent_key_id::bigint and order_id is null',
      'and id = $rateLockId::varchar and order_id is null', 'the rate lock of another agent'],
    ['pay: a rate lock ends', 'and order_id is null and expires_at > now()', 'and order_id is null',
      'a rate lock that has expired'],
    ['pay: a rate lock is used once', 'and agent_key_id = $agent_key_id::bigint and order_id is null and',
      'and agent_key_id = $agent_key_id::bigint and', 'a rate lock that was used']]),
  ...inFile(CREATE, 'test/api/pauses.test.ts', [
    ['pay: nothing is paused', 'and is_active and not exists (select from paused)', 'and is_active',
      'refuses payments and claims with a reason, and changes nothing']]),
  ...inFile('src/orders/known-currency.ts', 'test/api/pauses.test.ts', [
    ['pause: a mistyped currency is refused, so that no pause only looks as if it was in force',
      'if (known.has(currency)) return;', 'if (known.size > 0) return;',
      'of a currency that nothing uses is refused, with the one that may be meant']]),
  ...inFile(CREATE, 'test/api/payments.test.ts', [
    ['pay: an idempotency key stands for one order',
      'and ($key::varchar is null or exists (select from idempotency))', '',
      'in a hundred concurrent requests creates one order and one workflow']]),
  ...inFile(CREATE, EXACT, [
    ['pay: a rate lock gives its amount to its own payment', 'and r.rate_lock_id = rate.id', 'and false',
      'holds its amount against payments and other locks, and gives it to its own']]),
  ...inFile(SCHEMA, EXACT, [
    ['amount: no two live orders ask for the same',
      'where reserved_amount.order_id = excluded.order_id or reserved_amount.expires_at <= now();',
      'where true;', 'cannot be shared, even by a direct insert of an order'],
    ['amount: a new order reserves its amount',
      "when (new.status not in ('completed', 'cancelled')) execute function reserve_amount();",
      "when (new.status = 'claimed') execute function reserve_amount();",
      'that is the last free one goes to one of two parallel payments']]),
  ...inFile('src/domain/exact-amount.ts', 'test/unit/exact-amount.test.ts', [
    ['amount: the suffix is worth less than a cent', "const SUFFIX_USD = '0.01';",
      "const SUFFIX_USD = '0.02';",
      'are never below the price, less than a cent above it, and in the token’s precision']]),
];
