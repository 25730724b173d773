import type { Database } from '../../db/orm.ts';
import { IS_FORMER_RECEIPT } from '../../market/lps/lost-order.ts';

/** Nothing but unfreezing moves a frozen order, so its last event is the freeze. */
const FROZEN_BY_ADMINS = `
  select o.id from orders o join order_event e on e.order_id = o.id and e.seq = o.version
  where o.id = any($1::bigint[]) and o.frozen_ms is not null and e.cause = 'freeze' and e.actor like 'admin:%'
    and not exists (select from receipt where receipt.order_id = o.id and ${IS_FORMER_RECEIPT})`;

/**
 * Those of the orders that an admin has frozen, and for which no LP that lost them has evidence of a payment. An LP that contests an
 * order, and Corridor after a loss of commits, freeze orders too. An admin looks at each of the others.
 */
export async function frozenByAdmins(db: Database, ids: number[]): Promise<Set<number>> {
  const rows = await db.query<{ id: number }>('bulk-frozen-by-admins', FROZEN_BY_ADMINS, [ids]);
  return new Set(rows.map(({ id }) => id));
}
