import { Counter, Histogram, type Registry } from '@prometheus-io/client';
import type { StepName } from '../../domain/order-state.ts';
import type { StepResult } from '../../domain/order-steps.ts';

/** How an LP's claim ended. `lost`: another LP was first; `refused`: the LP may not claim; `failed`: no outcome is known. */
const CLAIM_OUTCOMES = ['won', 'lost', 'refused', 'failed'] as const;
export type ClaimOutcome = (typeof CLAIM_OUTCOMES)[number];

export interface OrderMetrics {
  claimed: (outcome: ClaimOutcome) => void;
  /** A worker refused a command without a valid signature. `fault`: what is wrong with the signature. */
  unsigned: (trigger: string, fault: string) => void;
  /** `error`: the step failed and will be retried. */
  stepped: (step: StepName, result: StepResult | 'error', seconds: number) => void;
}

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Claims by outcome, and order steps. */
export function createOrderMetrics(registry: Registry): OrderMetrics {
  const registers = [registry];
  const claims = new Counter({
    name: 'corridor_claims_total',
    help: 'Claims of LPs by outcome: won (a repeat counts again), lost, refused, failed',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of CLAIM_OUTCOMES) claims.inc({ outcome }, 0);
  const unsigned = new Counter({
    name: 'corridor_unsigned_commands_total',
    help: 'Commands and notices that workers refused because Corridor had not signed them, by trigger and by fault of the signature',
    labelNames: ['trigger', 'fault'],
    registers,
  });
  const steps = new Histogram({
    name: 'corridor_order_step_duration_seconds',
    help: 'Duration of order steps in the database, by result',
    labelNames: ['step', 'result'],
    buckets: BUCKETS,
    registers,
  });
  return {
    claimed: (outcome) => claims.inc({ outcome }),
    unsigned: (trigger, fault) => unsigned.inc({ trigger, fault }),
    stepped: (step, result, seconds) => steps.observe({ step, result }, seconds),
  };
}
