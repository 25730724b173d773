import { z } from 'zod';
import { STRIKES_COUNT_FOR } from '../../domain/cool-down.ts';
import { RECENT } from '../../domain/lp-ranking.ts';
import { time } from './response-fields.ts';

/** The public part of an LP's record. */
export const lpRecord = {
  orders_completed: z.number().int().nonnegative().describe('Since the registration.'),
  completion_rate: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe(`The share of completed orders among its last ${RECENT} outcomes. Null before the first.`),
  median_fiat_seconds: z
    .number()
    .int()
    .nonnegative()
    .nullable()
    .describe(
      `Median seconds from the claim to the fiat, over its last ${RECENT} completed orders. Null before the first.`,
    ),
  unclaimed_quotes: z
    .number()
    .int()
    .nonnegative()
    .describe(
      `The number of orders that were quoted from it and expired unclaimed although it could have claimed them, among the last ${RECENT} orders that it claimed or left unclaimed. For each, it ranks as if its price were one percent higher. If most of the last ten expired so, and at least five, it ranks behind all other LPs for a day.`,
    ),
  strikes: z
    .number()
    .int()
    .nonnegative()
    .describe(`Failed claims in the last ${STRIKES_COUNT_FOR} that no admin has forgiven.`),
};

/** Only the LP itself and admins see it. */
export const coolingDownUntil = time
  .nullable()
  .describe(
    'When the cool-down after a strike ends. Until then the LP is not quoted and cannot claim. Null: it is not cooling down.',
  );
