import type { Guard } from '../guard.ts';

const JUDGE = 'src/domain/payment-verdict.ts';
const JUDGE_TEST = 'test/unit/payment-verdict.test.ts';
const EXPECTED = 'src/orders/expected-payment.ts';
const EARLY = 'test/attacks/early-payments.test.ts';
const RECORD = 'src/orders/record-verdict.ts';
const STATEMENTS = 'test/db/lifecycle-statements.test.ts';
const VERDICT_IS = 'src/orders/steps/shared/chain-transaction.ts';
const TRANSACTIONS = 'test/attacks/transactions.test.ts';
const FORGED_VERDICT = {
  file: TRANSACTIONS,
  name: 'does not complete it, even with the transaction reserved',
};

/** Which transaction settles an order, and how the end of an order changes collateral. */
export const SETTLEMENTS: readonly Guard[] = [
  {
    name: 'verdict: exactly the amount',
    file: JUDGE,
    text: 'decimal(given.amount).eq(amount)',
    without: 'decimal(given.amount).gte(amount)',
    attack: {
      file: JUDGE_TEST,
      name: 'of several transfers pays by the one of exactly the amount, and never by their sum',
    },
  },
  {
    name: 'verdict: not before the claim',
    file: JUDGE,
    text: 'if (at < notBefore) {',
    without: 'if (Number.isNaN(Number(at)) && notBefore) {',
    attack: { file: JUDGE_TEST, name: 'from before the claim is invalid' },
  },
  {
    name: 'verdict: the time of the claim counts',
    file: EXPECTED,
    text: 'earliestBlock(new Date(claimedAt), clockSkewMs)',
    without: 'earliestBlock(new Date(0), clockSkewMs)',
    attack: { file: EARLY, name: 'a transfer between the order’s creation and its claim does not pay it' },
  },
  {
    name: 'verdict: the latest claim counts',
    file: EXPECTED,
    text: "status = 'claimed' order by seq desc limit 1",
    without: "status = 'claimed' order by seq asc limit 1",
    attack: { file: EARLY, name: 'after a reoffer only the latest claim counts' },
  },
  {
    name: 'verdict: the destination tag on the XRP Ledger',
    file: 'src/adapters/chain-xrpl.ts',
    text: 'if (wrongTag) return wrongTag;',
    without: '',
    attack: { file: 'test/system/chains/xrpl.test.ts', name: 'is not the payment' },
  },
  {
    name: 'verdict: a transaction pays one order',
    file: RECORD,
    text: 'where chain_transaction.order_id = excluded.order_id',
    without: 'where true',
    attack: {
      file: STATEMENTS,
      name: 'a transaction that an admin accepts in a resolution pays no other order',
    },
  },
  {
    name: 'verdict: it is for the order’s version',
    file: RECORD,
    text: 'and version = $version and crypto_chain',
    without: 'and $version::int > 0 and crypto_chain',
    attack: {
      file: STATEMENTS,
      name: 'a check that ends after the order has moved on records and reserves nothing',
    },
  },
  {
    name: 'verdict: the order waits for it',
    file: RECORD,
    text: "and crypto_chain = $chain and status = 'crypto_verify_pending'",
    without: 'and crypto_chain = $chain',
    attack: {
      file: STATEMENTS,
      name: 'a check that ends after the order has moved on records and reserves nothing',
    },
  },
  {
    name: 'verdict: a final verdict stays',
    file: RECORD,
    text: "where payment_verdict.kind in ('not_found', 'pending') or payment_verdict.kind = excluded.kind",
    without: 'where true',
    attack: { file: STATEMENTS, name: 'a final verdict stays, and the same verdict again changes nothing' },
  },
  {
    name: 'complete: there is a verdict',
    file: 'src/orders/steps/payment.ts',
    text: 'where: [IS_VERIFIED],',
    without: 'where: [],',
    attack: { file: TRANSACTIONS, name: 'is not carried out by' },
  },
  {
    name: 'complete: the verdict is on this version',
    file: VERDICT_IS,
    text: 'verdict.order_id = orders.id and verdict.version = orders.version',
    without: 'verdict.order_id = orders.id',
    attack: FORGED_VERDICT,
  },
  {
    name: 'complete: the verdict is on this chain',
    file: VERDICT_IS,
    text: '        and verdict.chain = orders.crypto_chain\n',
    without: '',
    attack: FORGED_VERDICT,
  },
  {
    name: 'complete: the verdict is on this transaction',
    file: VERDICT_IS,
    text: "and verdict.tx_hash = ${normalisedHash('orders.user_crypto_tx_hash')}",
    without: '',
    attack: FORGED_VERDICT,
  },
  {
    name: 'complete: the transaction is reserved for the order',
    file: VERDICT_IS,
    text: "`verdict.kind = 'verified' and t.order_id is not null`",
    without: "`verdict.kind = 'verified'`",
    attack: {
      file: STATEMENTS,
      name: 'a verified transaction that is reserved for another order completes nothing',
    },
  },
  {
    name: 'reject: there is a verdict',
    file: 'src/orders/steps/payment.ts',
    text: 'where: [IS_INVALID],',
    without: 'where: [],',
    attack: { file: TRANSACTIONS, name: 'is not carried out by' },
  },
  {
    name: 'dispute by the chain: there is a verdict',
    file: 'src/orders/steps/endings.ts',
    text: "`($cause <> 'invalid' or ${IS_INVALID})`",
    without: "'true'",
    attack: { file: TRANSACTIONS, name: 'is not carried out by' },
  },
  {
    name: 'replace: the transaction was not found',
    file: 'src/orders/steps/payment.ts',
    text: "and version = $version and kind = 'not_found'",
    without: 'and version = $version',
    attack: {
      file: 'test/attacks/mistyped-hashes.test.ts',
      name: 'a transaction that is on its chain is not replaced, and another agent cannot replace it',
    },
  },
  {
    name: 'resolve: the slash leaves the fee',
    file: 'src/orders/steps/endings.ts',
    text: "'$slashUsd::numeric + orders.fee_usd <= orders.collateral_locked'",
    without: "'true'",
    attack: {
      file: 'test/workflow/endings.test.ts',
      name: 'and slashes no more than the locked collateral covers, including the fee',
    },
  },
  {
    name: 'withdrawal: it is decided once',
    file: 'src/market/collateral/decide-withdrawal.ts',
    text: "where id = $id and status = 'requested' returning *",
    without: 'where id = $id returning *',
    attack: { file: 'test/api/withdrawals.test.ts', name: 'has one winner among concurrent decisions' },
  },
  {
    name: 'withdrawal: a payout uses up its transaction',
    file: 'src/market/collateral/decide-withdrawal.ts',
    text: 'from withdrawal where $normalisedHash is not null',
    without: 'from withdrawal where $normalisedHash is not null and false',
    attack: {
      file: TRANSACTIONS,
      name: 'of a payout settles no order, and the hash of a settlement is no payout',
    },
  },
  {
    name: 'ledger: append-only',
    file: 'src/db/migrations/initial.sql',
    text: 'before update or delete or truncate on ledger_transfer',
    without: 'before update or truncate on ledger_transfer',
    attack: { file: 'test/db/schema.test.ts', name: 'transfers, with a message that says why' },
  },
];
