import type { AutoClaimActivities } from '../src/domain/activity-types.ts';
import { autoClaimsOfOrder } from '../src/market/lps/auto-claims.ts';
import type { ActivityDeps } from './deps.ts';

export const autoClaimActivities = ({
  db,
  stepSettings,
}: Pick<ActivityDeps, 'db' | 'stepSettings'>): AutoClaimActivities => ({
  findAutoClaims: ({ orderId }) => autoClaimsOfOrder(db, orderId, stepSettings.strikeCoolDown),
});
