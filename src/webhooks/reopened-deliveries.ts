import type { Database } from '../db/orm.ts';

/** A webhook with a redelivery request and no attempt since. */
export interface ReopenedDelivery {
  order_id: number;
  seq: number;
  /** Attempts before the request. */
  attempts: number;
}

const REOPENED = `
  select order_id, seq, attempts from webhook_delivery
  where state = 'pending' and lp_id is null and attempts_before > 0 and attempts = attempts_before`;

export const reopenedDeliveries = (db: Database): Promise<ReopenedDelivery[]> =>
  db.query<ReopenedDelivery>('webhooks-reopened', REOPENED, []);
