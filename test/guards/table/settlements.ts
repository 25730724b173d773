import { inFile } from '../guard.ts';

const STATEMENTS = 'test/db/lifecycle-statements.test.ts';
const TRANSACTIONS = 'test/attacks/transactions.test.ts';
const VERDICT_IS = 'src/orders/steps/shared/chain-transaction.ts';

/** Which transaction settles an order, and how the end of an order changes collateral. */
export const SETTLEMENTS = [
  ...inFile('src/domain/payment-verdict.ts', 'test/unit/payment-verdict.test.ts', [
    ['verdict: exactly the amount', 'decimal(given.amount).eq(amount)', 'decimal(given.amount).gte(amount)',
      'of several transfers pays by the one of exactly the amount, and never by their sum'],
    ['verdict: not before the claim', 'if (at < notBefore)', 'if (Number.isNaN(Number(at)) && notBefore)',
      'from before the claim is invalid']]),
  ...inFile('src/orders/expected-payment.ts', 'test/attacks/early-payments.test.ts', [
    ['verdict: the time of the claim counts', 'earliestBlock(new Date(claimedAt), clockSkewMs)',
      'earliestBlock(new Date(0), clockSkewMs)',
      'a transfer between the order’s creation and its claim does not pay it'],
    ['verdict: the latest claim counts', "status = 'claimed' order by seq desc limit 1",
      "status = 'claimed' order by seq asc limit 1", 'after a reoffer only the latest claim counts']]),
  ...inFile('src/adapters/chain-xrpl.ts', 'test/system/chains/xrpl.test.ts', [
    ['verdict: the destination tag on the XRP Ledger', 'if (wrongTag) return wrongTag;', '',
      'is not the payment']]),
  ...inFile('src/orders/record-verdict.ts', STATEMENTS, [
    ['verdict: a transaction pays one order', 'where chain_transaction.order_id = excluded.order_id',
      'where true', 'a transaction that an admin accepts in a resolution pays no other order'],
    ['verdict: it is for the order’s version', 'and version = $version and crypto_chain',
      'and $version::int > 0 and crypto_chain',
      'a check that ends after the order has moved on records and reserves nothing'],
    ['verdict: the order waits for it', "and crypto_chain = $chain and status = 'crypto_verify_pending'",
      'and crypto_chain = $chain',
      'a check that ends after the order has moved on records and reserves nothing'],
    ['verdict: a final verdict stays',
      "where payment_verdict.kind in ('not_found', 'pending') or payment_verdict.kind = excluded.kind",
      'where true', 'a final verdict stays, and the same verdict again changes nothing']]),
  ...inFile(VERDICT_IS, TRANSACTIONS, [
    ['complete: the verdict is on this version',
      'verdict.order_id = orders.id and verdict.version = orders.version', 'verdict.order_id = orders.id',
      'does not complete it, even with the transaction reserved'],
    ['complete: the verdict is on this chain', '        and verdict.chain = orders.crypto_chain\n', '',
      'does not complete it, even with the transaction reserved'],
    ['complete: the verdict is on this transaction',
      "and verdict.tx_hash = ${normalisedHash('orders.user_crypto_tx_hash')}", '',
      'does not complete it, even with the transaction reserved']]),
  ...inFile(VERDICT_IS, STATEMENTS, [
    ['complete: the transaction is reserved for the order',
      "`verdict.kind = 'verified' and t.order_id is not null`", "`verdict.kind = 'verified'`",
      'a verified transaction that is reserved for another order completes nothing']]),
  ...inFile('src/orders/steps/payment.ts', 'test/attacks/mistyped-hashes.test.ts', [
    ['replace: the transaction was not found', "and version = $version and kind = 'not_found'",
      'and version = $version',
      'a transaction that is on its chain is not replaced, and another agent cannot replace it']]),
  ...inFile('src/market/collateral/decide-withdrawal.ts', 'test/api/withdrawals.test.ts', [
    ['withdrawal: it is decided once', "where id = $id and status = 'requested' returning *",
      'where id = $id returning *', 'has one winner among concurrent decisions']]),
  ...inFile('src/market/collateral/decide-withdrawal.ts', TRANSACTIONS, [
    ['withdrawal: a payout uses up its transaction', 'from withdrawal where $normalisedHash is not null',
      'from withdrawal where $normalisedHash is not null and false',
      'of a payout settles no order, and the hash of a settlement is no payout']]),
  ...inFile('src/db/migrations/functions.sql', 'test/db/schema.test.ts', [
    ['ledger: append-only', 'before update or delete or truncate on ledger_transfer',
      'before update or truncate on ledger_transfer', 'transfers, with a message that says why']]),
];
