import { refusalFor } from '../../../http/refusal.ts';
import type { ClaimOutcome, OrderMetrics } from '../../../process/metrics/orders.ts';

/** Runs a claim and counts its outcome. */
export async function countClaimOutcome<Reply>(
  metrics: OrderMetrics,
  claim: () => Promise<Reply>,
): Promise<Reply> {
  try {
    const reply = await claim();
    metrics.claimed('won');
    return reply;
  } catch (error) {
    metrics.claimed(outcomeOf(error));
    throw error;
  }
}

function outcomeOf(error: unknown): ClaimOutcome {
  const { code } = refusalFor(error);
  if (code === 'order_not_claimable') return 'lost';
  return code === 'unavailable' || code === 'internal' ? 'failed' : 'refused';
}
