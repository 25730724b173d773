import { z } from 'zod';
import { LP_WEBHOOK_EVENTS } from '../../../domain/lp-webhook.ts';
import { overlap } from '../../schemas/key-overlap.ts';
import { describeField, listValues } from '../../schemas/request-fields.ts';
import { time } from '../../schemas/response-fields.ts';
import { webhookUrl } from '../../schemas/webhook-url.ts';

const event = z.enum(LP_WEBHOOK_EVENTS);

/** `POST /api/lp/{lp_key}/webhook`. URLs must use https unless `allowHttp` (development). */
export const lpWebhookRequest = ({ allowHttp }: { allowHttp: boolean }) =>
  z
    .object({
      url: describeField(
        webhookUrl({ allowHttp }),
        `The URL that receives the webhooks: an ${allowHttp ? 'http or https' : 'https'} URL of at most 2,048 ASCII characters.`,
      ),
      events: z
        .array(event)
        .min(1)
        .max(LP_WEBHOOK_EVENTS.length)
        .default([...LP_WEBHOOK_EVENTS])
        .describe(`The events to send. ${listValues(LP_WEBHOOK_EVENTS)} Default: all.`),
      overlap: describeField(overlap, 'How long the previous secret also signs.'),
    })
    .meta({ examples: [{ url: 'https://lp.example/corridor', events: ['order.open', 'order.updated'] }] });

export const newLpWebhook = z.strictObject({
  url: z.string(),
  events: z.array(event),
  secret: z.string().describe('Signs the webhooks: a key of Standard Webhooks. Shown only once.'),
  warning: z.string(),
});
export type NewLpWebhook = z.output<typeof newLpWebhook>;

const state = z
  .enum(['on', 'off', 'stopped'])
  .describe('`stopped`: the receiver failed for too long. Set the URL again to turn the webhooks on.');

/** `GET /api/lp/{lp_key}/webhook`; the dashboard shows the same. */
export const lpWebhookState = z.strictObject({
  state,
  url: z.string().nullable().describe('Null while webhooks are off.'),
  events: z.array(event),
  waiting: z.number().int().nonnegative().describe('Webhooks that wait for their delivery.'),
  last_delivered_at: time.nullable(),
  failing_since: time.nullable().describe('Since when no attempt has succeeded; null: the receiver works.'),
  last_error: z.string().nullable(),
  stopped_at: time.nullable(),
});
export type LpWebhookView = z.output<typeof lpWebhookState>;
