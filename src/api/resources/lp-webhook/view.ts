import type { LpWebhookState } from '../../../notify/lp-webhooks/configure.ts';
import type { LpWebhookView } from './schemas.ts';

/** The LP's view of its webhooks. */
export const lpWebhookView = ({ state, config, waiting }: LpWebhookState): LpWebhookView => ({
  state,
  url: config?.url ?? null,
  events: config?.events ?? [],
  waiting,
  last_delivered_at: config?.last_delivered_at?.toISOString() ?? null,
  failing_since: config?.failing_since?.toISOString() ?? null,
  last_error: config?.last_error ?? null,
  stopped_at: config?.stopped_at?.toISOString() ?? null,
});
