import type { Database } from '../orm.ts';

const NOTE = `
  insert into unanswered_order (order_id) values ($1) on conflict (order_id) do update set asked_at = now()`;

/** Remembers that an order's workflow has not answered in time, for the reconciler to find out why. */
export const noteUnanswered = (db: Database, orderId: number): Promise<unknown> =>
  db.query('note-unanswered', NOTE, [orderId]);
