import type { WebhookDelivery } from '../entities/order-log.ts';
import type { Database } from '../orm.ts';

const REOPEN = `
  update webhook_delivery set state = 'pending', attempts_before = attempts, finished_at = null
  where id = $1 and state <> 'pending'
  returning id`;

/** Makes a finished delivery owed again, with its attempts counting on. False when it is owed already. */
export async function reopenDelivery(db: Database, id: number): Promise<boolean> {
  return (await db.query('webhook-reopen', REOPEN, [id])).length === 1;
}

const CLOSE = `
  update webhook_delivery set state = $2, finished_at = $3
  where id = $1 and state = 'pending' and attempts = attempts_before`;

/** Takes a reopening back that nobody could be told of; not when an attempt has been made since. */
export async function closeAgain(db: Database, { id, state, finished_at }: WebhookDelivery): Promise<void> {
  await db.query('webhook-close', CLOSE, [id, state, finished_at]);
}
