import { z } from 'zod';
import { time } from '../../schemas/response-fields.ts';

const count = z.number().int().nonnegative();

/** `GET /api/admin/ledger`. */
export const ledgerResponse = z.strictObject({
  checked_at: time,
  ok: z.boolean().describe('Whether everything agrees.'),
  checks: z.array(
    z.strictObject({
      check: z.string().describe('The rule that was checked.'),
      checked: count.describe('The number of accounts, orders, transfers … that the check covered.'),
      drifts: count.describe('The number of violations.'),
      first: z
        .array(z.strictObject({ where: z.string(), expected: z.string(), found: z.string() }))
        .describe('The first 100 violations.'),
    }),
  ),
});
export type LedgerReport = z.output<typeof ledgerResponse>;
