import type { Database } from '../../db/orm.ts';

/** Pending webhooks of one order to its agent that nobody has attempted since they became pending. */
export interface UntriedDeliveries {
  order_id: number;
  /** Oldest first. */
  seqs: number[];
  /** Attempts before a redelivery request. 0: there was none. */
  attempts: number;
}

/** Longer than a webhook waits for the earlier webhooks of its order, unless these wait for a slow receiver. */
const UNTRIED_FOR = '30 seconds';
/** Many orders may wait for one receiver without a fault, so each round checks a random sample. */
const SAMPLE_SIZE = 20;

const UNTRIED = `
  select order_id, array[seq] as seqs, attempts from webhook_delivery
  where state = 'pending' and lp_id is null and attempts_before > 0 and attempts = attempts_before
  union all (
    select due.order_id, array_agg(due.seq order by due.seq), 0 from webhook_delivery due
    where due.state = 'pending' and due.lp_id is null and due.attempts = 0
      and due.created_at < now() - $1::interval
      and not exists (
        select from webhook_attempt made
        where made.delivery_id in (
          select id from webhook_delivery own where own.order_id = due.order_id and own.lp_id is null
        ) and made.created_at > now() - $1::interval
      )
    group by due.order_id order by random() limit $2
  )`;

/**
 * Reopened webhooks without a new attempt, and the pending webhooks of orders without any attempt for half a minute.
 */
export const untriedDeliveries = (db: Database): Promise<UntriedDeliveries[]> =>
  db.query<UntriedDeliveries>('webhooks-untried', UNTRIED, [UNTRIED_FOR, SAMPLE_SIZE]);
