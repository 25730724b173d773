import { z } from 'zod';

export const aliveResponse = z.strictObject({ ok: z.literal(true) });

/** The availability of the services that an order needs. */
export const readyResponse = z.strictObject({
  ready: z.boolean(),
  api: z.literal(true),
  database: z.boolean(),
  temporal: z.boolean(),
  worker: z.boolean(),
  paused: z
    .strictObject({
      all: z.boolean(),
      currencies: z.array(z.string()).describe('Fiat currencies with their own pause.'),
      agents: z.number().int().nonnegative().describe('Agent keys with their own pause.'),
    })
    .nullable()
    .describe(
      'New payments and claims that an admin has paused. A pause does not make the service unready. Null: the database does not answer.',
    ),
});
export type Readiness = z.output<typeof readyResponse>;
export type PausedSummary = NonNullable<Readiness['paused']>;
