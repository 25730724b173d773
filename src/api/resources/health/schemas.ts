import { z } from 'zod';

export const aliveResponse = z.strictObject({ ok: z.literal(true) });

/** Which of the services that an order needs are available. */
export const readyResponse = z.strictObject({
  ready: z.boolean(),
  api: z.literal(true),
  database: z.boolean(),
  temporal: z.boolean(),
  worker: z.boolean(),
  paused: z
    .strictObject({
      all: z.boolean(),
      currencies: z.array(z.string()).describe('Fiat currencies with a pause of their own.'),
      agents: z.number().int().nonnegative().describe('Agent keys with a pause of their own.'),
    })
    .nullable()
    .describe(
      'New payments and claims that an admin has paused. That is no reason to be not ready. Null: the database does not answer.',
    ),
});
export type PausedSummary = NonNullable<z.output<typeof readyResponse>['paused']>;
