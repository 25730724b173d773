import { z } from 'zod';
import { DEFAULT_CHAIN, DEFAULT_SYMBOL, STABLECOINS } from '../domain/assets.ts';
import { WITHDRAWAL_STATUSES } from '../domain/withdrawal-status.ts';
import { chainName, id, money, time } from './answers.ts';
import { address, chain, line, symbol, txHash, usdAmount } from './fields.ts';
import { nextCursor, pageQuery } from './pages.ts';

const status = z.enum(WITHDRAWAL_STATUSES);

/** `POST /api/lp/{lp_key}/collateral/withdraw`. Collateral is kept in dollars, so only dollar tokens are paid out. */
export const withdrawRequest = z
  .object({
    amount: usdAmount,
    address: address.describe('Where it is to be paid to.'),
    asset: symbol.pipe(z.enum(STABLECOINS)).default(DEFAULT_SYMBOL),
    chain: chain.default(DEFAULT_CHAIN),
  })
  .meta({ examples: [{ amount: 100, address: 'TMyOwnAddress', asset: 'usdt', chain: 'trx' }] });

/** A withdrawal as its LP sees it. */
export const withdrawal = z.strictObject({
  id,
  amount: money,
  asset: z.string(),
  chain: chainName,
  address: z.string(),
  status,
  tx_hash: z.string().nullable().describe('Of the payout, where the admin has told it.'),
  reason: z.string().nullable().describe('Why it was rejected.'),
  created_at: time,
  decided_at: time.nullable(),
});
export type Withdrawal = z.output<typeof withdrawal>;

export const replayedWithdrawal = withdrawal.extend({ idempotent_replay: z.literal(true) });

/** `GET /api/admin/withdrawals`. */
export const withdrawalQuery = pageQuery.extend({ status: status.optional() });

/** A withdrawal as admins see it. */
export const listedWithdrawal = withdrawal.extend({ lp_id: id });
export type ListedWithdrawal = z.output<typeof listedWithdrawal>;

export const withdrawalPage = z.strictObject({
  withdrawals: z.array(listedWithdrawal),
  next_cursor: nextCursor,
});
export type WithdrawalPage = z.output<typeof withdrawalPage>;

/** `POST /api/admin/withdrawals/{id}/paid`. */
export const paidRequest = z
  .object({ tx_hash: txHash.optional().describe('The transaction that paid it.') })
  .meta({ examples: [{ tx_hash: 'the hash of the payout' }] });

/** `POST /api/admin/withdrawals/{id}/reject`. */
export const rejectRequest = z
  .object({ reason: line(500).describe('Shown to the LP.') })
  .meta({ examples: [{ reason: 'The address is not on this chain' }] });
