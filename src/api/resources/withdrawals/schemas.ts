import { z } from 'zod';
import { DEFAULT_CHAIN, DEFAULT_SYMBOL } from '../../../domain/assets.ts';
import { WITHDRAWAL_STATUSES } from '../../../domain/withdrawal-status.ts';
import { nextCursor, pageQuery } from '../../schemas/pages.ts';
import {
  address,
  chain,
  describeField,
  line,
  listValues,
  stablecoin,
  txHash,
  usdAmount,
} from '../../schemas/request-fields.ts';
import { chainName, id, time, usdMoney } from '../../schemas/response-fields.ts';

const status = z.enum(WITHDRAWAL_STATUSES);

/** `POST /api/lp/{lp_key}/collateral/withdraw`. Collateral is kept in USD, so only dollar tokens are paid out. */
export const withdrawRequest = z
  .object({
    amount: describeField(usdAmount, 'The collateral to withdraw.'),
    address: describeField(address, 'The address to pay to, on `chain`.'),
    asset: describeField(stablecoin, `The token to pay out. Default: \`${DEFAULT_SYMBOL}\`.`).default(
      DEFAULT_SYMBOL,
    ),
    chain: describeField(chain, `The chain to pay on. Default: \`${DEFAULT_CHAIN}\`.`).default(DEFAULT_CHAIN),
  })
  .meta({ examples: [{ amount: 100, address: 'TMyOwnAddress', asset: 'usdt', chain: 'trx' }] });

/** The LP's view of a withdrawal. */
export const withdrawal = z.strictObject({
  id,
  amount: usdMoney,
  asset: z.string(),
  chain: chainName,
  address: z.string(),
  status,
  tx_hash: z.string().nullable().describe('The transaction of the payout, if the admin has given it.'),
  reason: z.string().nullable().describe('The reason for the rejection.'),
  created_at: time,
  decided_at: time.nullable(),
});
export type Withdrawal = z.output<typeof withdrawal>;

export const replayedWithdrawal = withdrawal.extend({ idempotent_replay: z.literal(true) });

/** `GET /api/admin/withdrawals`. */
export const withdrawalQuery = pageQuery.extend({
  status: status
    .optional()
    .describe(`Only withdrawals with this status. ${listValues(WITHDRAWAL_STATUSES)} Default: all.`),
});

/** The admins' view of a withdrawal. */
export const listedWithdrawal = withdrawal.extend({ lp_id: id });
export type ListedWithdrawal = z.output<typeof listedWithdrawal>;

export const withdrawalPage = z.strictObject({
  withdrawals: z.array(listedWithdrawal),
  next_cursor: nextCursor,
});
export type WithdrawalPage = z.output<typeof withdrawalPage>;

/** `POST /api/admin/withdrawals/{id}/paid`. */
export const paidRequest = z
  .object({
    tx_hash: describeField(
      txHash,
      'The transaction that paid it. Required on a real chain, where Corridor verifies it.',
    ).optional(),
  })
  .meta({ examples: [{ tx_hash: 'a1'.repeat(32) }] });

/** `POST /api/admin/withdrawals/{id}/reject`. */
export const rejectRequest = z
  .object({ reason: describeField(line(500), 'The reason that the LP sees.') })
  .meta({ examples: [{ reason: 'The address is not on this chain' }] });
