import { z } from 'zod';
import { time } from '../../schemas/response-fields.ts';
import { incidentScope } from '../incidents/schemas.ts';

export const aliveResponse = z.strictObject({ ok: z.literal(true) });

/** The availability of the services that an order needs. */
export const readyResponse = z.strictObject({
  ready: z.boolean(),
  api: z.literal(true),
  database: z.boolean(),
  temporal: z.boolean(),
  worker: z.boolean(),
  incidents: z
    .array(z.strictObject({ ...incidentScope, opened_at: time }))
    .nullable()
    .describe(
      'The open incidents, in which payments and claims are paused as well. An incident does not make the service unready. Null: the database does not answer.',
    ),
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
