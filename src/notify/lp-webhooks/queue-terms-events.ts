import { isoTime } from '../../db/iso-time.ts';
import type { Database } from '../../db/orm.ts';
import type { TermsWebhookEvent } from '../../domain/lp-webhook.ts';
import { crashPoint } from '../../process/crash-point.ts';

/** One statement marks at most this many terms. */
export const MOST = 100;

/**
 * Marks terms and writes the webhooks that report them, in one statement. So each event is reported once, even if
 * processes crash or run concurrently. It also marks the terms of LPs that do not receive the event, because an LP that
 * turns the event on later, or is approved later, gets no older ones. It skips terms that another transaction is
 * changing: waiting for them could cause a deadlock, and the next run finds them.
 * `place`: the column of a partial index. Sorted by it, and with a limit, PostgreSQL uses the index even if its
 * statistics suggest that most terms are due.
 */
const report = (
  event: TermsWebhookEvent,
  mark: string,
  isDue: string,
  place: string,
  time: string,
  data: string,
) => `
  with found as (
    select lp_id, currency, method from lp_term where ${isDue}
    order by ${place} limit ${MOST}
    for no key update skip locked
  ),
  due as (
    update lp_term set ${mark}
    from found
    where lp_term.lp_id = found.lp_id and lp_term.currency = found.currency and lp_term.method = found.method
    returning lp_term.*
  ),
  written as (
    insert into webhook_delivery (lp_id, lp_event, body)
    select due.lp_id, '${event}',
      json_build_object('type', '${event}', 'timestamp', ${isoTime(time)},
        'data', json_build_object('currency', currency, 'method', method, ${data}))::text
    from due
    join lp_webhook hook on hook.lp_id = due.lp_id and hook.stopped_at is null and '${event}' = any(hook.events)
    join lp on lp.id = due.lp_id and lp.approved_at is not null
    order by due.lp_id, currency, method
  )
  select from due`;

export const RATE_EXPIRED = report(
  'lp.rate_expired',
  'expiry_reported = valid_until',
  'quoting and expiry_reported is distinct from valid_until and valid_until <= now()',
  'valid_until',
  'valid_until',
  `'rate_usd', trim_scale(rate_usd), 'offset_bps', offset_bps, 'valid_until', ${isoTime('valid_until')}`,
);

/** The trigger `lp_term_rearm_float_low` removes the mark as soon as the float is no longer low. */
export const FLOAT_LOW = report(
  'lp.float_low',
  'float_low_reported = true',
  'quoting and float_is_low and not float_low_reported',
  'lp_id',
  'now()',
  `'float', trim_scale(float_available), 'float_reserved', trim_scale(float_reserved),
        'float_low', trim_scale(float_low)`,
);

/** Writes a webhook for each rate that has expired and each float that is low, unless it has been reported. */
export async function queueTermsEvents(db: Database): Promise<void> {
  let marked = 0;
  do {
    const expired = await db.query('lp-webhooks-rate-expired', RATE_EXPIRED, []);
    const low = await db.query('lp-webhooks-float-low', FLOAT_LOW, []);
    marked = Math.max(expired.length, low.length);
    if (marked > 0) crashPoint('lpwebhooks.queued');
  } while (marked === MOST);
}
