import type { Database } from '../db/orm.ts';
import { type MaskingDeps, maskBatches } from './mask-orders.ts';

/** Orders of one batch: one transaction locks them, and one event of the audit names them. */
const BATCH = 100;
/** Batches of one run, which ends well before the next round but one. */
const MAX_BATCHES = 20;

export const DUE = `
  select id, coalesce(completed_at, cancelled_at)::text as "endedAt" from orders
  where masked_at is null and status in ('completed', 'cancelled')
    and coalesce(completed_at, cancelled_at) < now() - $1 * interval '1 millisecond'
    and (coalesce(completed_at, cancelled_at), id) > ($2::timestamptz, $3::bigint)
  order by coalesce(completed_at, cancelled_at), id limit $4`;

type Due = { id: number; endedAt: string };

/**
 * Masks the orders that ended longer ago than `retentionMs`, the oldest first, in batches. Passes over those that cannot be
 * masked yet. Rejects with an AggregateError, after all batches, if files of receipts could not be deleted.
 */
export async function maskEndedOrders(deps: MaskingDeps, retentionMs: number): Promise<void> {
  await maskBatches(deps, dueOrders(deps.db, retentionMs), 'retention');
}

async function* dueOrders(db: Database, retentionMs: number): AsyncGenerator<number[]> {
  let last: Due | undefined = { id: 0, endedAt: '-infinity' };
  for (let batch = 0; last && batch < MAX_BATCHES; batch++) {
    const due: Due[] = await db.query<Due>('masking-due', DUE, [retentionMs, last.endedAt, last.id, BATCH]);
    if (due.length > 0) yield due.map(({ id }) => id);
    last = due.length === BATCH ? due.at(-1) : undefined;
  }
}
