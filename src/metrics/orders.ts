import { Counter, Histogram, type Registry } from '@prometheus-io/client';
import type { StepName } from '../domain/order-state.ts';
import type { StepResult } from '../domain/steps.ts';

/** How an LP's claim ended. `lost`: another was first; `refused`: the LP may not; `failed`: nobody could say. */
const CLAIM_OUTCOMES = ['won', 'lost', 'refused', 'failed'] as const;
export type ClaimOutcome = (typeof CLAIM_OUTCOMES)[number];

export interface OrderMetrics {
  claimed: (outcome: ClaimOutcome) => void;
  /** `error`: the step could not be made, and will be tried again. */
  stepped: (step: StepName, result: StepResult | 'error', seconds: number) => void;
}

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Claims as LPs see them, and the steps that orders make. */
export function createOrderMetrics(registry: Registry): OrderMetrics {
  const registers = [registry];
  const claims = new Counter({
    name: 'corridor_claims_total',
    help: 'Claims of LPs by how they ended: won (asked again counts again), lost, refused, failed',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of CLAIM_OUTCOMES) claims.inc({ outcome }, 0);
  const steps = new Histogram({
    name: 'corridor_order_step_duration_seconds',
    help: 'Time that the steps of orders took in the database, by what came of them',
    labelNames: ['step', 'result'],
    buckets: BUCKETS,
    registers,
  });
  return {
    claimed: (outcome) => claims.inc({ outcome }),
    stepped: (step, result, seconds) => steps.observe({ step, result }, seconds),
  };
}
