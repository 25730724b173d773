import { isoTime } from '../../db/iso-time.ts';
import type { WARNING_EVENTS } from '../../domain/lp-webhook.ts';

type Warning = (typeof WARNING_EVENTS)[number];

/** SQL: the body of a warning. `data`: SQL for what it says of the event. */
export const warningBody = (event: Warning, data: string): string =>
  `json_build_object('type', '${event}', 'timestamp', ${isoTime('now()')}, 'data', ${data})::text`;

/**
 * CTE: warns the LP of each row of `source` of what a thief of its key could have done. `data`: SQL for the body's `data`, from
 * the columns of `source`, one of which is `lp_id`. The webhooks that the LP had lately receive it too, because the thief could
 * replace the present one first.
 */
export const warnLp = (event: Warning, source: string, data: string): string => `warned as (
    insert into webhook_delivery (lp_id, lp_event, url, body)
    select distinct hook.lp_id, '${event}', hook.url, ${warningBody(event, data)}
    from warned_webhook hook join ${source} on ${source}.lp_id = hook.lp_id
    where '${event}' = any(hook.events)
  )`;
