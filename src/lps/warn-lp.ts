import type { WARNING_EVENTS } from '../domain/lp-webhook.ts';

/** The format of a time in a body that SQL writes. */
export const ISO = 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"';

/**
 * CTE: warns the LP of each row of `source` of what a thief of its key could have done. `data`: SQL for the body's `data`, from
 * the columns of `source`, one of which is `lp_id`. The webhooks that the LP had lately receive it too, because the thief could
 * replace the present one first.
 */
export const warnLp = (event: (typeof WARNING_EVENTS)[number], source: string, data: string) => `warned as (
    insert into webhook_delivery (lp_id, lp_event, url, body)
    select distinct hook.lp_id, '${event}', hook.url,
      json_build_object('type', '${event}', 'timestamp', to_char(now() at time zone 'utc', '${ISO}'), 'data', ${data})::text
    from warned_webhook hook join ${source} on ${source}.lp_id = hook.lp_id
    where '${event}' = any(hook.events)
  )`;
