import type { AutoClaim } from '../src/domain/auto-claim.ts';
import type { TraceContext } from '../src/domain/trace-context.ts';
import { autoClaimsOfOrder } from '../src/market/lps/auto-claims.ts';
import type { ActivityDeps } from './deps.ts';

export interface AutoClaimActivities {
  /** Returns the claims to try for an open order, the best first. Changes nothing. */
  findAutoClaims: (input: TraceContext & { orderId: number }) => Promise<AutoClaim[]>;
}

export const autoClaimActivities = ({
  db,
  stepSettings,
}: Pick<ActivityDeps, 'db' | 'stepSettings'>): AutoClaimActivities => ({
  findAutoClaims: ({ orderId }) => autoClaimsOfOrder(db, orderId, stepSettings.strikeCoolDown),
});
