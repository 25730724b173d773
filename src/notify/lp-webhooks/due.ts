import type { Database } from '../../db/orm.ts';
import type { ReportedEvent } from './body.ts';

/**
 * A webhook whose next attempt is due. `body` is null until the first attempt of a webhook about an order fixes its
 * bytes. Other webhooks are written with their bytes.
 */
export type DueWebhook = { id: number; lpId: number } & (
  | { body: string }
  | ({ body: null } & Omit<ReportedEvent, 'lpId'>)
);

/**
 * A few webhooks of each LP, oldest first, so that an LP with a long queue does not delay the others. The webhooks of
 * one order go out in order: a later one waits until the earlier one is finished. Warnings have a URL of their own, and
 * `warnings.ts` sends them.
 */
const DUE = `
  select due.id, due.lp_id as "lpId", due.lp_event as event, due.order_id as "orderId", due.seq, due.body
  from lp join lp_webhook hook on hook.lp_id = lp.id
  cross join lateral (
    select d.id, d.lp_id, d.lp_event, d.order_id, d.seq, d.body from webhook_delivery d
    where d.lp_id = hook.lp_id and d.state = 'pending' and d.url is null and (d.next_attempt_at is null or d.next_attempt_at <= now())
      and d.id <> all($2::bigint[])
      and not exists (
        select from webhook_delivery earlier
        where earlier.lp_id = d.lp_id and earlier.order_id = d.order_id and earlier.id < d.id
          and earlier.state = 'pending'
      )
    order by d.id limit $1
  ) due
  where lp.approved_at is not null and hook.stopped_at is null`;

/** `underWay`: ids that this process is already sending. */
export const dueWebhooks = (db: Database, perLp: number, underWay: number[]): Promise<DueWebhook[]> =>
  db.query<DueWebhook & Record<string, unknown>>('lp-webhooks-due', DUE, [perLp, underWay]);

const DROP = `delete from webhook_delivery where id = $1 and attempts = 0`;

/** Drops a webhook that the LP's feed would no longer show. */
export const dropWebhook = async (db: Database, id: number): Promise<void> =>
  void (await db.query('lp-webhook-drop', DROP, [id]));
