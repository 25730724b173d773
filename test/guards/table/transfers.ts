import type { Guard } from '../guard.ts';

const SCHEMA = 'src/db/migrations/initial.sql';
const PAYOUTS = 'test/system/attacks/payouts-as-payments.test.ts';
const WITHDRAWN = 'test/attacks/withdrawn-amounts.test.ts';
const ENDED = 'test/attacks/ended-orders.test.ts';
const RESOLVED = 'test/attacks/resolved-transactions.test.ts';
const CLOCKS = 'test/workflow/early-deadlines.test.ts';
const MOVED = {
  file: PAYOUTS,
  name: 'is not credited with tokens that the platform moves to its deposit address',
};

/** Whose transfer pays what: not the platform's own, not a late one for another order, and none that is only named. */
export const TRANSFERS: readonly Guard[] = [
  {
    name: 'sender: the platform’s own transfer is no payment',
    file: 'src/domain/payment-verdict.ts',
    text: 'if (!platformMaySend && exact.every(isFromPlatform)) {',
    without: 'if (!platformMaySend && exact.length === 0 && exact.every(isFromPlatform)) {',
    attack: {
      file: 'test/unit/payment-verdict.test.ts',
      name: 'is invalid if only the platform’s own address sends the amount',
    },
  },
  {
    name: 'sender: an order is not paid by the platform',
    file: 'src/orders/expected-payment.ts',
    text: 'platformMaySend: false,',
    without: 'platformMaySend: true,',
    attack: { file: PAYOUTS, name: 'is not paid by a transfer of its amount from the platform’s' },
  },
  {
    name: 'sender: a deposit is not paid by the platform',
    file: 'src/market/collateral/verify-deposit.ts',
    text: 'platformMaySend: false,',
    without: 'platformMaySend: true,',
    attack: MOVED,
  },
  {
    name: 'sender: reserve addresses are the platform’s',
    file: 'src/adapters/platform-addresses.ts',
    text: ': [depositAddress, ...reserveAddresses];',
    without: ': [depositAddress];',
    attack: { file: PAYOUTS, name: 'is not paid by a transfer of its amount from the platform’s' },
  },
  {
    name: 'sender: an exchange where the platform has a tag is not the platform',
    file: 'src/adapters/platform-addresses.ts',
    text: 'depositAddress === null || depositTag !== null ?',
    without: 'depositAddress === null ?',
    attack: {
      file: 'test/system/chains/xrpl.test.ts',
      name: 'from an exchange where the platform has a tag may be a payer’s',
    },
  },
  {
    name: 'sender: an address that signs sends, too',
    file: 'src/adapters/chain-evm.ts',
    text: 'platformSender: platformSender(from, receipt.from) }',
    without: 'platformSender: platformSender(from) }',
    attack: { file: PAYOUTS, name: 'is not paid by a transaction that the platform signs' },
  },
  {
    name: 'tron: a transaction that a node does not know yet is not invalid',
    file: 'src/adapters/chain-tron.ts',
    text: 'if (isTransaction(transaction)) return transaction;',
    without: 'if (transaction) return transaction;',
    attack: {
      file: 'test/system/chains/tron.test.ts',
      name: 'is not invalid while a second node does not know it',
    },
  },
  {
    name: 'sender: on Tron',
    file: 'src/adapters/chain-tron.ts',
    text: '({ amount, platformSender: platformSender(from) }),',
    without: '({ amount, platformSender: platformSender(from) && null }),',
    attack: { file: 'test/system/chains/tron.test.ts', name: 'is a payout, and pays nothing else' },
  },
  {
    name: 'sender: on the XRP Ledger',
    file: 'src/adapters/chain-xrpl.ts',
    text: 'platformSender: platformSender(tx_json.Account) }',
    without: 'platformSender: platformSender(tx_json.Account) && null }',
    attack: { file: 'test/system/chains/xrpl.test.ts', name: 'is a payout, and pays nothing else' },
  },
  {
    name: 'sender: a search skips what the platform moves',
    file: 'src/adapters/chain-evm.ts',
    text: '(transfer.platformMaySend || platformSender(paid.from) === null),',
    without: '(transfer.platformMaySend || platformSender(paid.from) !== undefined),',
    attack: MOVED,
  },
  {
    name: 'sender: a search on Tron skips what the platform moves',
    file: 'src/adapters/search-tron.ts',
    text: '(platformMaySend || !isFromPlatform(from)) &&',
    without: '',
    attack: {
      file: 'test/system/chains/search-tron.test.ts',
      name: 'is not found among those that the platform sends to itself',
    },
  },
  {
    name: 'withdrawal: it reserves its amount',
    file: SCHEMA,
    text: "when (new.status = 'requested') execute function reserve_withdrawal_amount();",
    without: "when (new.status = 'paid') execute function reserve_withdrawal_amount();",
    attack: { file: WITHDRAWN, name: 'is drawn by no order, rate lock or deposit while it is open' },
  },
  {
    name: 'withdrawal: not of the amount of a live order',
    file: SCHEMA,
    text: 'withdrawal_id = excluded.withdrawal_id, expires_at = null\n      where reserved_amount.withdrawal_id is not null or reserved_amount.expires_at <= now();',
    without: 'withdrawal_id = excluded.withdrawal_id, expires_at = null;',
    attack: { file: WITHDRAWN, name: 'of the amount of a live order is refused' },
  },
  {
    name: 'withdrawal: not of the amount of a live announcement',
    file: SCHEMA,
    text: "where d.id = reserved_amount.deposit_id and (d.status <> 'pending' or d.expires_at <= now()));",
    without: 'where d.id = reserved_amount.deposit_id);',
    attack: { file: WITHDRAWN, name: 'of the amount of a rate lock, or of a live announcement, is refused' },
  },
  {
    name: 'withdrawal: its amount stays while another one of it is open',
    file: SCHEMA,
    text: "select case when bool_or(status = 'requested') then 'infinity'",
    without: "select case when bool_or(status = 'unknown') then 'infinity'",
    attack: { file: WITHDRAWN, name: 'and is reserved until the last of them is decided' },
  },
  {
    name: 'withdrawal: its amount stays for a day after the payout',
    file: SCHEMA,
    text: "filter (where status = 'paid') + interval '1 day', now()) end",
    without: "filter (where status = 'paid'), now()) end",
    attack: { file: WITHDRAWN, name: 'stays reserved for a day after it is paid' },
  },
  {
    name: 'withdrawal: a decision sees one that is requested at the same time',
    file: SCHEMA,
    text: 'and withdrawal_id is not null\n      order by purpose desc for update;',
    without: 'and withdrawal_id is not null\n      order by purpose desc;',
    attack: { file: WITHDRAWN, name: 'keeps its amount when another one of it is rejected meanwhile' },
  },
  {
    name: 'ended order: its amount stays for 7 days if it was claimed and not paid',
    file: SCHEMA,
    text: "update reserved_amount set expires_at = now() + interval '7 days'",
    without: 'update reserved_amount set expires_at = now()',
    attack: { file: ENDED, name: 'is not drawn again for 7 days' },
  },
  {
    name: 'ended order: a claim that failed counts',
    file: SCHEMA,
    text: "if old.status = 'matched' and new.excluded_lp_ids = '{}' or",
    without: "if old.status = 'matched' or",
    attack: { file: ENDED, name: 'is not drawn again for 7 days' },
  },
  {
    name: 'ended order: completed without a transaction is not paid',
    file: SCHEMA,
    text: "old.status = 'crypto_verify_pending' or exists (",
    without: 'true or exists (',
    attack: { file: ENDED, name: 'is not drawn again for 7 days' },
  },
  {
    name: 'resolve: what the agent named is not used up',
    file: 'src/orders/steps/endings.ts',
    text: "reserveTransactionOnce('$txHash::varchar')",
    without: "reserveTransactionOnce('coalesce($txHash::varchar, lower(after.user_crypto_tx_hash))')",
    attack: { file: RESOLVED, name: 'does not use up the transaction that its agent named last' },
  },
  {
    name: 'resolve: what the admin names is used up',
    file: 'src/orders/commands.ts',
    text: 'txHash: txHash === null ? null : normaliseTxHash(txHash),',
    without: 'txHash: txHash === null ? txHash : null,',
    attack: { file: RESOLVED, name: 'uses up the transaction that the admin names' },
  },
  {
    name: 'resolve: a cancelled order has no payment',
    file: 'src/api/resources/admin-orders/schemas.ts',
    text: "outcome === 'completed' || tx_hash === undefined",
    without: 'outcome !== tx_hash || tx_hash === undefined',
    attack: {
      file: RESOLVED,
      name: 'a cancelled order uses up no transaction, and an admin cannot name one',
    },
  },
  {
    name: 'clock: the first deadline counts by the database’s',
    file: 'src/orders/pay.ts',
    text: 'new Date(at.getTime() + settings.durations.claim)',
    without: 'new Date(Math.max(Date.now(), Math.min(at.getTime(), 0)) + settings.durations.claim)',
    attack: { file: CLOCKS, name: 'an order has its whole time to be claimed' },
  },
  {
    name: 'clock: a rate lock ends by the database’s',
    file: 'src/market/pricing/insert-rate-lock.ts',
    text: "now() + $lifetime::float8 * interval '1 ms'",
    without: "pg_catalog.now() + $lifetime::float8 * interval '1 ms'",
    attack: { file: CLOCKS, name: 'a rate lock has its whole time, and a payment can use it' },
  },
];
