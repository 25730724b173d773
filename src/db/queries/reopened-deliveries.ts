import type { Database } from '../orm.ts';

/** A webhook that is to be sent again, and has not been tried since. */
export interface ReopenedDelivery {
  order_id: number;
  seq: number;
  /** All that were made before. */
  attempts: number;
}

const REOPENED = `
  select order_id, seq, attempts from webhook_delivery
  where state = 'pending' and attempts_before > 0 and attempts = attempts_before`;

export const reopenedDeliveries = (db: Database): Promise<ReopenedDelivery[]> =>
  db.query<ReopenedDelivery>('webhooks-reopened', REOPENED, []);
