import { z } from 'zod';
import { STRIKES_COUNT_FOR } from '../domain/cool-down.ts';
import { RECENT } from '../domain/lp-ranking.ts';
import { time } from './answers.ts';

/** What everybody may know of an LP's record. */
export const lpRecord = {
  orders_completed: z.number().int().nonnegative().describe('In all.'),
  completion_rate: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe(`Of its last ${RECENT} orders, the share completed and not let down. Null before the first.`),
  median_fiat_seconds: z
    .number()
    .int()
    .nonnegative()
    .nullable()
    .describe(
      `From the claim to the fiat sent, in its last ${RECENT} completed orders. Null before the first.`,
    ),
  strikes: z
    .number()
    .int()
    .nonnegative()
    .describe(`Orders that it let down in the last ${STRIKES_COUNT_FOR} and was not forgiven.`),
};

/** For the LP itself and for admins. */
export const coolingDownUntil = time
  .nullable()
  .describe(
    'Until when it is neither quoted nor may claim, after a strike. Null when it is not cooling down.',
  );
