import { z } from 'zod';
import { time } from './answers.ts';

const count = z.number().int().nonnegative();

/** `GET /api/admin/ledger`. */
export const ledgerResponse = z.strictObject({
  checked_at: time,
  ok: z.boolean().describe('Nothing disagrees.'),
  checks: z.array(
    z.strictObject({
      check: z.string().describe('What is proved.'),
      checked: count.describe('How many accounts, orders, transfers … were looked at.'),
      drifts: count.describe('How many of them are not as they must be.'),
      first: z
        .array(z.strictObject({ where: z.string(), expected: z.string(), found: z.string() }))
        .describe('At most 100 of those.'),
    }),
  ),
});
export type LedgerReport = z.output<typeof ledgerResponse>;
