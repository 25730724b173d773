import type { Database } from '../db/orm.ts';
import type { LpStatus } from '../domain/lp-status.ts';
import { offersBecomeDue } from './auto-claim-offers.ts';

const CHANGE = `
  with changed as (
    update lp set status = coalesce($2, status), tier = coalesce($3, tier) where id = $1 returning id
  ),
  ${offersBecomeDue('select id from changed')}
  select id from changed`;

/** Sets an LP's status or tier. False: there is no such LP. */
export async function changeLp(
  db: Database,
  lpId: number,
  changes: { status: LpStatus } | { tier: number },
): Promise<boolean> {
  const status = 'status' in changes ? changes.status : null;
  const tier = 'tier' in changes ? changes.tier : null;
  return (await db.query('lp-change', CHANGE, [lpId, status, tier])).length > 0;
}
