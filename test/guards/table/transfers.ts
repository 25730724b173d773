import { inFile } from '../guard.ts';

const PAYOUTS = 'test/system/attacks/payouts-as-payments.test.ts';
const SCHEMA = 'src/db/migrations/functions.sql';
const RESOLVED = 'test/attacks/resolved-transactions.test.ts';
const CLOCKS = 'test/system/workflow/early-deadlines.test.ts';

/** Whose transfer pays what: not the platform's own, not a late one for another order, and none that is only named. */
export const TRANSFERS = [
  ...inFile('src/domain/payment-verdict.ts', 'test/unit/payment-verdict.test.ts', [
    ['sender: the platform’s own transfer is no payment',
      'if (!platformMaySend && exact.every(isFromPlatform))',
      'if (!platformMaySend && exact.length === 0 && exact.every(isFromPlatform))',
      'is invalid if only the platform’s own address sends the amount']]),
  ...inFile('src/orders/expected-payment.ts', PAYOUTS, [
    ['sender: an order is not paid by the platform', 'platformMaySend: false,', 'platformMaySend: true,',
      'is not paid by a transfer of its amount from the platform’s']]),
  ...inFile('src/market/collateral/verify-deposit.ts', PAYOUTS, [
    ['sender: a deposit is not paid by the platform', 'platformMaySend: false,', 'platformMaySend: true,',
      'is not credited with tokens that the platform moves to its deposit address']]),
  ...inFile('src/adapters/platform-addresses.ts', PAYOUTS, [
    ['sender: reserve addresses are the platform’s', ': [depositAddress, ...reserveAddresses];',
      ': [depositAddress];', 'is not paid by a transfer of its amount from the platform’s']]),
  ...inFile('src/adapters/platform-addresses.ts', 'test/system/chains/xrpl.test.ts', [
    ['sender: an exchange where the platform has a tag is not the platform',
      'depositAddress === null || depositTag !== null ?', 'depositAddress === null ?',
      'from an exchange where the platform has a tag may be a payer’s']]),
  ...inFile('src/adapters/chain-evm.ts', PAYOUTS, [
    ['sender: an address that signs sends, too', 'platformSender: platformSender(from, receipt.from) }',
      'platformSender: platformSender(from) }', 'is not paid by a transaction that the platform signs'],
    ['sender: a search skips what the platform moves',
      '(transfer.platformMaySend || platformSender(paid.from) === null),',
      '(transfer.platformMaySend || platformSender(paid.from) !== undefined),',
      'is not credited with tokens that the platform moves to its deposit address']]),
  ...inFile('src/adapters/chain-tron.ts', 'test/system/chains/tron.test.ts', [
    ['tron: a transaction that a node does not know yet is not invalid',
      'if (isTransaction(transaction)) return transaction;', 'if (transaction) return transaction;',
      'is not invalid while a second node does not know it'],
    ['sender: on Tron', '({ amount, platformSender: platformSender(from) }),',
      '({ amount, platformSender: platformSender(from) && null }),', 'is a payout, and pays nothing else']]),
  ...inFile('src/adapters/chain-xrpl.ts', 'test/system/chains/xrpl.test.ts', [
    ['sender: on the XRP Ledger', 'platformSender: platformSender(tx_json.Account) }',
      'platformSender: platformSender(tx_json.Account) && null }', 'is a payout, and pays nothing else']]),
  ...inFile('src/adapters/search-tron.ts', 'test/system/chains/search-tron.test.ts', [
    ['sender: a search on Tron skips what the platform moves',
      '(platformMaySend || !isFromPlatform(from)) &&', '',
      'is not found among those that the platform sends to itself']]),
  ...inFile(SCHEMA, 'test/attacks/withdrawn-amounts.test.ts', [
    ['withdrawal: it reserves its amount',
      "when (new.status = 'requested') execute function reserve_withdrawal_amount();",
      "when (new.status = 'paid') execute function reserve_withdrawal_amount();",
      'is drawn by no order, rate lock or deposit while it is open'],
    ['withdrawal: not of the amount of a live order',
      'withdrawal_id = excluded.withdrawal_id, expires_at = null\n      where reserved_amount.withdrawal_id is not null or reserved_amount.expires_at <= now();',
      'withdrawal_id = excluded.withdrawal_id, expires_at = null;',
      'of the amount of a live order is refused'],
    ['withdrawal: not of the amount of a live announcement',
      "where d.id = reserved_amount.deposit_id and (d.status <> 'pending' or d.expires_at <= now()));",
      'where d.id = reserved_amount.deposit_id);',
      'of the amount of a rate lock, or of a live announcement, is refused'],
    ['withdrawal: its amount stays while another one of it is open',
      "select case when bool_or(status = 'requested') then 'infinity'",
      "select case when bool_or(status = 'unknown') then 'infinity'",
      'and is reserved until the last of them is decided'],
    ['withdrawal: its amount stays for a day after the payout',
      "filter (where status = 'paid') + interval '1 day', now()) end",
      "filter (where status = 'paid'), now()) end", 'stays reserved for a day after it is paid'],
    ['withdrawal: a decision sees one that is requested at the same time',
      'and withdrawal_id is not null\n      order by purpose desc for update;',
      'and withdrawal_id is not null\n      order by purpose desc;',
      'keeps its amount when another one of it is rejected meanwhile']]),
  ...inFile(SCHEMA, 'test/attacks/ended-orders.test.ts', [
    ['ended order: its amount stays for 7 days if it was claimed and not paid',
      "update reserved_amount set expires_at = now() + interval '7 days'",
      'update reserved_amount set expires_at = now()', 'is not drawn again for 7 days'],
    ['ended order: a claim that failed counts', "if old.status = 'matched' and new.excluded_lp_ids = '{}' or",
      "if old.status = 'matched' or", 'is not drawn again for 7 days'],
    ['ended order: completed without a transaction is not paid',
      "old.status = 'crypto_verify_pending' or exists (", 'true or exists (',
      'is not drawn again for 7 days']]),
  ...inFile('src/orders/steps/endings.ts', RESOLVED, [
    ['resolve: what the agent named is not used up', "reserveTransactionOnce('$txHash::varchar')",
      "reserveTransactionOnce('coalesce($txHash::varchar, lower(after.user_crypto_tx_hash))')",
      'does not use up the transaction that its agent named last']]),
  ...inFile('src/orders/commands.ts', RESOLVED, [
    ['resolve: what the admin names is used up', 'txHash: txHash === null ? null : normaliseTxHash(txHash),',
      'txHash: txHash === null ? txHash : null,', 'uses up the transaction that the admin names']]),
  ...inFile('src/api/resources/admin-orders/schemas.ts', RESOLVED, [
    ['resolve: a cancelled order has no payment', "outcome === 'completed' || tx_hash === undefined",
      'outcome !== tx_hash || tx_hash === undefined',
      'a cancelled order uses up no transaction, and an admin cannot name one']]),
  ...inFile('src/orders/pay.ts', CLOCKS, [
    ['clock: the first deadline counts by the database’s',
      'new Date(at.getTime() + settings.durations.claim)',
      'new Date(Math.max(Date.now(), Math.min(at.getTime(), 0)) + settings.durations.claim)',
      'an order has its whole time to be claimed']]),
  ...inFile('src/market/pricing/insert-rate-lock.ts', CLOCKS, [
    ['clock: a rate lock ends by the database’s', "now() + $lifetime::float8 * interval '1 ms'",
      "pg_catalog.now() + $lifetime::float8 * interval '1 ms'",
      'a rate lock has its whole time, and a payment can use it']]),
];
