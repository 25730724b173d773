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

const BEFORE_ALL: Due = { id: 0, endedAt: '-infinity' };

/**
 * Returns a job that masks the orders that ended longer ago than `retentionMs`, the oldest first, in batches. Passes over those
 * that cannot be masked yet: a run goes on after the last one of the run before, and begins again at the end. Rejects with an
 * AggregateError, after all batches, if files of receipts could not be deleted.
 */
export function createEndedOrderMasking(deps: MaskingDeps, retentionMs: number): () => Promise<void> {
  let last = BEFORE_ALL;
  return async () => {
    await maskBatches(deps, dueOrders(), 'retention');
  };

  async function* dueOrders(): AsyncGenerator<number[]> {
    for (let batch = 0; batch < MAX_BATCHES; batch++) {
      const values = [retentionMs, last.endedAt, last.id, BATCH];
      const due = await deps.db.query<Due>('masking-due', DUE, values);
      last = (due.length === BATCH ? due.at(-1) : undefined) ?? BEFORE_ALL;
      if (due.length > 0) yield due.map(({ id }) => id);
      if (last === BEFORE_ALL) return;
    }
  }
}
