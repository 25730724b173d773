import type { ClaimOutcome, OrderMetrics } from '../metrics/orders.ts';
import { asRefusal } from './middleware/errors.ts';

/** Makes a claim, and counts how it ended. */
export async function countingClaim<Reply>(
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
  const { code } = asRefusal(error);
  if (code === 'order_not_claimable') return 'lost';
  return code === 'unavailable' || code === 'internal' ? 'failed' : 'refused';
}
