import { violates } from '../../db/errors.ts';
import type { Database } from '../../db/orm.ts';
import { DomainError } from '../../domain/errors.ts';
import type { LpStatus } from '../../domain/lp-status.ts';
import { offersBecomeDue } from './auto-claim-offers.ts';

const CHANGE = `
  with changed as (
    update lp set status = coalesce($2, status), tier = coalesce($3, tier) where id = $1 returning id
  ),
  ${offersBecomeDue('select id from changed')}
  select id from changed`;

/**
 * Sets an LP's status or tier. False when there is no such LP. Refuses with `address_taken` to approve an LP with an address
 * that belongs to another LP.
 */
export async function changeLp(
  db: Database,
  lpId: number,
  changes: { status: LpStatus } | { tier: number },
): Promise<boolean> {
  const status = 'status' in changes ? changes.status : null;
  const tier = 'tier' in changes ? changes.tier : null;
  const changed = db.query('lp-change', CHANGE, [lpId, status, tier]).catch((error) => {
    if (!violates(error, 'lp_address_pkey')) throw error;
    const text = `LP ${lpId} cannot be approved. ${error.message}: LP ${lpId} registers another, or you release it from the other LP`;
    throw new DomainError('address_taken', text);
  });
  return (await changed).length > 0;
}
