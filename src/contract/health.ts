import { z } from 'zod';

export const aliveResponse = z.strictObject({ ok: z.literal(true) });

/** What is there of what an order needs. */
export const readyResponse = z.strictObject({
  ready: z.boolean(),
  api: z.literal(true),
  database: z.boolean(),
  temporal: z.boolean(),
  worker: z.boolean(),
});
