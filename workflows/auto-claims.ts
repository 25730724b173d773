import { proxyLocalActivities } from '@temporalio/workflow';
import type { AutoClaimActivities } from '../src/domain/activity-types.ts';
import { isSameMove } from '../src/domain/order-state.ts';
import { applyCommand } from './apply-command.ts';
import { type OrderRun, ownRequest } from './order-run.ts';

/** Reads the database. Temporal retries the read for as long as the database is unavailable. */
const { findAutoClaims } = proxyLocalActivities<AutoClaimActivities>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumInterval: '2s' },
});

/**
 * Claims the order for LPs with auto-claim, one after the other, until one has it. Each attempt is an ordinary claim.
 * The step refuses it if another order has locked the collateral since the search.
 */
export async function claimAutomatically(run: OrderRun): Promise<void> {
  if (!run.isAutoClaimDue) return;
  run.isAutoClaimDue = false;
  const { orderId, traces } = run;
  // A worker may run a claim late. After the claim deadline, the claim is void.
  const { state } = run;
  const { timeoutAt: validUntil } = state;
  if (validUntil === null) return;
  const summary = 'search for LPs with auto-claim';
  for (const claim of await findAutoClaims.executeWithOptions({ summary }, [{ orderId, ...traces }])) {
    if (!isSameMove(run.state, state)) return;
    const request = ownRequest({ trigger: 'autoClaim', ...claim, validUntil }, traces);
    await applyCommand(run, { ...request, actor: `lp:${claim.lpId}` });
  }
}
