import type { Database } from '../../db/orm.ts';
import { DomainError } from '../../domain/errors.ts';
import type { LpStatus } from '../../domain/lp-status.ts';
import { hitRateWindow } from './rate-window.ts';

/** Look-ups within 60 seconds; 0: no limit. */
export interface LookupLimits {
  /** Of each approved LP. */
  lookup: number;
  /** Of all other LPs together, because one client may register many LPs. */
  unapprovedLookup: number;
}

const WINDOW_SECONDS = 60;

/**
 * Counts a look-up at a chain's node for an LP, before it begins. It counts even if the node does not answer. Refuses with
 * `too_many_lookups`.
 */
export async function countNodeLookup(
  db: Database,
  { lookup, unapprovedLookup }: LookupLimits,
  { id, status }: { id: number; status: LpStatus },
): Promise<void> {
  const isApproved = status === 'approved';
  const [key, max] = isApproved ? [`lookup:lp:${id}`, lookup] : ['lookup:unapproved', unapprovedLookup];
  if (max === 0) return;
  const { within, resetSeconds } = await hitRateWindow(db, key, max, WINDOW_SECONDS);
  if (within) return;
  const text = isApproved
    ? `Corridor has looked at chains for this LP ${max} times within a minute`
    : `Corridor has looked at chains for LPs that are not approved ${max} times within a minute: try again later, or ask an admin to approve this LP${status === 'suspended' ? ', which is suspended' : ''}`;
  throw new DomainError('too_many_lookups', text, { retryAfter: resetSeconds });
}
