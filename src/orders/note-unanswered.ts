import type { Database } from '../db/orm.ts';

const NOTE = `
  insert into unanswered_order (order_id) values ($1) on conflict (order_id) do update set asked_at = now()`;

/** Records that an order's workflow did not answer in time, so that the reconciler checks the workflow. */
export const noteUnanswered = (db: Database, orderId: number): Promise<unknown> =>
  db.query('note-unanswered', NOTE, [orderId]);
