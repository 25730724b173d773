import { autoClaimsOfOrder } from '../src/db/queries/auto-claims.ts';
import type { AutoClaim } from '../src/domain/auto-claim.ts';
import type { Traced } from '../src/domain/traced.ts';
import type { ActivityDeps } from './deps.ts';

export interface AutoClaimActivities {
  /** The claims to try for an open order, the best first. Changes nothing. */
  findAutoClaims: (input: Traced & { orderId: number }) => Promise<AutoClaim[]>;
}

export const autoClaimActivities = ({ db, strikeCoolDown }: ActivityDeps): AutoClaimActivities => ({
  findAutoClaims: ({ orderId }) => autoClaimsOfOrder(db, orderId, strikeCoolDown),
});
