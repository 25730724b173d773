import type { Database } from '../../db/orm.ts';
import { MAX_WAITING, STOP_AFTER_HOURS } from '../../domain/lp-webhook.ts';
import { dropWaiting } from './drop-waiting.ts';

const ACCEPTED = `
  update lp_webhook set failing_since = null, last_error = null, last_delivered_at = now() where lp_id = $1`;

/** Stops the LP's webhooks, and drops those that wait except warnings, if the receiver has failed for too long or too many wait. */
const FAILED = `
  with hook as (
    update lp_webhook set failing_since = coalesce(failing_since, now()),
      last_error = coalesce((
        select coalesce(error, 'the receiver answered ' || status_code) from webhook_attempt
        where delivery_id = $2 order by attempt desc limit 1
      ), last_error),
      stopped_at = case when failing_since < now() - interval '${STOP_AFTER_HOURS} hours' or (
          select count(*) from webhook_delivery where lp_id = $1 and state = 'pending' and url is null
        ) >= ${MAX_WAITING} then now() end
    where lp_id = $1 and stopped_at is null
    returning lp_id, stopped_at
  ), ${dropWaiting('select lp_id from hook where stopped_at is not null')}
  select from hook where stopped_at is not null`;

/** Records that the LP's receiver has accepted a webhook. */
export const recordAccepted = async (db: Database, lpId: number): Promise<void> =>
  void (await db.query('lp-webhook-accepted', ACCEPTED, [lpId]));

/** Records that no attempt delivered a webhook. Returns whether that has stopped the LP's webhooks. */
export async function recordFailed(db: Database, lpId: number, deliveryId: number): Promise<boolean> {
  const stopped = await db.query<Record<string, never>>('lp-webhook-failed', FAILED, [lpId, deliveryId]);
  return stopped.length > 0;
}
