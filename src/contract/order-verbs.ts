import { z } from 'zod';
import { LEDGER_PURPOSES } from '../domain/ledger.ts';
import { OUTCOMES } from '../domain/order-commands.ts';
import { id, money, orderStatus } from './answers.ts';
import { centsOrZero, instant, line, txHash } from './fields.ts';

/** What agents, LPs and admins do to orders beside the straight way; each reason stands on the order's timeline. */

const reason = line(300).describe('For the order’s timeline. No names, numbers or keys of people.');

export const reasonRequest = z
  .object({ reason })
  .meta({ examples: [{ reason: 'The recipient says that nothing has arrived' }] });
export const optionalReasonRequest = z.object({ reason: reason.optional() });

/** `POST /api/admin/orders/:id/resolve`. */
export const resolveRequest = z
  .object({
    outcome: z.enum(OUTCOMES),
    slash_usd: centsOrZero
      .prefault(0)
      .describe('What the LP loses of its slice, in USD. Never taken unless it is named here.'),
    reason,
  })
  .meta({ examples: [{ outcome: 'cancelled', slash_usd: 0, reason: 'The fiat was never sent' }] });

export const resolveQuery = z.object({
  dry_run: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe('`true` shows what would be posted and changes nothing.'),
});

/** `POST /api/admin/orders/:id/retry-verification`. */
export const retryRequest = z
  .object({
    tx_hash: txHash
      .optional()
      .describe('To be looked for in place of the order’s own, if that was the wrong one.'),
    reason,
  })
  .meta({ examples: [{ reason: 'The node was away' }] });

/** `POST /api/admin/orders/:id/extend`. */
export const extendRequest = z
  .object({ until: instant.describe('The new deadline: later than the present one.'), reason })
  .meta({ examples: [{ until: '2036-03-01T12:00:00Z', reason: 'The LP’s bank is closed today' }] });

export const cancelResponse = z.strictObject({ status: z.literal('cancelled') });
export const disputeResponse = z.strictObject({ status: z.literal('disputed') });
export const releaseResponse = z.strictObject({
  status: orderStatus.describe('`matched` when others are offered the order, `cancelled` when it ends.'),
});

export const resolveResponse = z.strictObject({
  order_id: id,
  status: z.enum(OUTCOMES),
  dry_run: z.boolean(),
  postings: z.array(
    z.strictObject({
      purpose: z.enum(LEDGER_PURPOSES),
      debit: z.string().describe('The account that the money leaves.'),
      credit: z.string().describe('The account that the money reaches.'),
      amount_usd: money,
    }),
  ),
});
