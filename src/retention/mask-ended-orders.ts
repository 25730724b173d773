import { type MaskingDeps, maskOrders } from './mask-orders.ts';

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
  const failures: unknown[] = [];
  let last: Due | undefined = { id: 0, endedAt: '-infinity' };
  for (let batch = 0; last && batch < MAX_BATCHES; batch++) {
    const values = [retentionMs, last.endedAt, last.id, BATCH];
    const due: Due[] = await deps.db.query<Due>('masking-due', DUE, values);
    if (due.length > 0) {
      const ids = due.map(({ id }) => id);
      failures.push(...(await maskOrders(deps, ids, 'retention')).failures);
    }
    last = due.length === BATCH ? due.at(-1) : undefined;
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} files of receipts could not be deleted`);
}
