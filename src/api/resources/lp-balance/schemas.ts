import { z } from 'zod';
import { SHOWN_DEPOSIT_STATUSES } from '../../../domain/deposit-status.ts';
import { chainName, destinationTag, id, money, time, usdMoney } from '../../schemas/response-fields.ts';
import { withdrawal } from '../withdrawals/schemas.ts';

/** Contract: "GET /api/lp/{lp_key}/balance". */
export const balanceResponse = z.strictObject({
  balance: z.strictObject({
    available: usdMoney,
    locked: usdMoney,
    withdrawing: money.describe('Reserved for withdrawals that wait for an admin’s decision.'),
    total: money.describe('The sum of the three.'),
  }),
  recent_deposits: z.array(
    z.strictObject({
      id,
      amount: usdMoney.describe('In USD: the exact amount that pays the deposit and is credited.'),
      asset: z.string(),
      chain: chainName,
      tx_hash: z.string().nullable(),
      status: z.enum(SHOWN_DEPOSIT_STATUSES),
      created_at: time,
      expires_at: time,
      confirmed_at: time.nullable(),
    }),
  ),
  recent_withdrawals: z.array(withdrawal),
  recent_fees: z.array(z.strictObject({ order_id: id, amount: usdMoney, created_at: time })),
  deposit_addresses: z
    .array(
      z.strictObject({ chain: chainName, address: z.string(), destination_tag: destinationTag.optional() }),
    )
    .describe(
      'Where to send collateral, by chain. Announce a deposit first: only exactly its amount is credited.',
    ),
  platform_total_fees: money.describe('USD of fees that all LPs have paid to Corridor.'),
});
