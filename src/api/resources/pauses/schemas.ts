import { z } from 'zod';
import { currency, describeField, line } from '../../schemas/request-fields.ts';
import { id, time } from '../../schemas/response-fields.ts';

/** `POST /api/admin/pauses`. */
export const pauseRequest = z
  .object({
    currency: describeField(
      currency,
      'Only payments in this fiat currency. It has a corridor, terms of an approved LP or a live order. Default: all currencies.',
    ).optional(),
    agent_key_id: z
      .number()
      .int()
      .positive()
      .max(Number.MAX_SAFE_INTEGER)
      .optional()
      .describe('Only payments of the agent key with this id, a positive whole number. Default: all agents.'),
    reason: describeField(line(300), 'The reason that agents and LPs read when their calls are refused.'),
  })
  .meta({ examples: [{ currency: 'NGN', reason: 'The mobile-money network is down' }] });

export const pauseResponse = z.strictObject({
  id,
  currency: z.string().nullable().describe('Null: every currency.'),
  agent_key_id: id.nullable().describe('Null: every agent.'),
  reason: z.string(),
  created_at: time,
});
export type PauseView = z.output<typeof pauseResponse>;

/** The response of `POST /api/admin/pauses`. */
export const madePause = pauseResponse.extend({
  replaced_reason: z
    .string()
    .nullable()
    .describe('The reason that this call has replaced. Null: the scope was not paused when the call began.'),
});
export type MadePauseView = z.output<typeof madePause>;

/** `GET /api/admin/pauses`. */
export const pauseList = z.strictObject({ pauses: z.array(pauseResponse) });
export type PauseList = z.output<typeof pauseList>;
