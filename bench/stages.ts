import { randomBytes, randomUUID } from 'node:crypto';
import type { NewOrder } from '../src/db/commands/create-order.ts';
import type { Command } from '../src/domain/order-commands.ts';
import type { OrderStatus } from '../src/domain/order-state.ts';
import type { StepInput } from '../src/domain/steps.ts';

/** The transitions of an order that nothing goes wrong with, in their order. */
export const TRANSITIONS = ['create', 'claim', 'markFiatSent', 'confirm', 'settle', 'complete'] as const;
export type Transition = (typeof TRANSITIONS)[number];

/** A transition after the creation: each is one step. */
export interface Stage {
  step: Exclude<Transition, 'create'>;
  to: OrderStatus;
  command: (order: NewOrder) => Command;
}

/** The steps of a whole order, one after the other. */
export const STAGES: readonly Stage[] = [
  {
    step: 'claim',
    to: 'claimed',
    command: ({ lp_id, amount_usd }) => ({
      trigger: 'claim',
      lpId: Number(lp_id),
      collateral: amount_usd,
      validUntil: 'infinity',
    }),
  },
  {
    step: 'markFiatSent',
    to: 'fiat_sent',
    command: ({ lp_id }) => ({ trigger: 'fiatSent', lpId: Number(lp_id) }),
  },
  { step: 'confirm', to: 'confirmed', command: () => ({ trigger: 'confirm' }) },
  {
    step: 'settle',
    to: 'crypto_verify_pending',
    command: () => {
      const txHash = randomBytes(32).toString('hex');
      return { trigger: 'settle', txHash, txHashGiven: txHash };
    },
  },
  { step: 'complete', to: 'completed', command: () => ({ trigger: 'verified', version: 5, note: null }) },
];

const HOUR_MS = 3_600_000;

/** What the workflow would hand to the step of an order that has gone through the stages before it. */
export const stepInput = (stage: Stage, order: NewOrder): StepInput => ({
  orderId: order.id,
  version: STAGES.indexOf(stage) + 1,
  requestId: randomUUID(),
  to: stage.to,
  deadline: stage.to === 'completed' ? null : { inMs: HOUR_MS },
  actor: 'service',
  command: stage.command(order),
  reason: null,
});
