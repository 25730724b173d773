import { createHash, randomUUID } from 'node:crypto';
import type { Database } from '../src/db/orm.ts';
import type { Command } from '../src/domain/order-commands.ts';
import type { OrderStatus } from '../src/domain/order-state.ts';
import type { StepInput } from '../src/domain/order-steps.ts';
import type { NewOrder } from '../src/orders/new-order.ts';
import { normalisedHash } from '../src/orders/order-state-row.ts';

/** The transitions of an order on the happy path, in sequence. */
export const TRANSITIONS = ['create', 'claim', 'markFiatSent', 'confirm', 'settle', 'complete'] as const;
export type Transition = (typeof TRANSITIONS)[number];

/** A transition after the creation, which is one step. */
export interface Stage {
  step: Exclude<Transition, 'create'>;
  from: OrderStatus;
  command: (order: NewOrder) => Command;
}

/** The transaction that pays the order: 64 hexadecimal digits. */
const transactionOf = ({ id }: NewOrder): string => createHash('sha256').update(`order ${id}`).digest('hex');

/** The steps of an order on the happy path, in sequence. */
export const STAGES: readonly Stage[] = [
  {
    step: 'claim',
    from: 'matched',
    command: ({ lp_id }) => ({
      trigger: 'claim',
      lpId: Number(lp_id),
      validUntil: 'infinity',
    }),
  },
  {
    step: 'markFiatSent',
    from: 'claimed',
    command: ({ lp_id }) => ({ trigger: 'fiatSent', lpId: Number(lp_id) }),
  },
  { step: 'confirm', from: 'fiat_sent', command: () => ({ trigger: 'confirm' }) },
  {
    step: 'settle',
    from: 'confirmed',
    command: (order) => {
      const txHash = transactionOf(order);
      return { trigger: 'settle', txHash, txHashGiven: txHash };
    },
  },
  {
    step: 'complete',
    from: 'crypto_verify_pending',
    command: () => ({ trigger: 'verified', version: 5, note: null }),
  },
];

/** The verdicts that `complete` requires, on all orders whose transaction is being verified, as the workers record them. */
export async function recordVerdicts({ pool }: Pick<Database, 'pool'>): Promise<void> {
  await pool.query(`
    with verdict as (
      insert into payment_verdict (order_id, version, chain, tx_hash, kind)
      select id, version, crypto_chain, ${normalisedHash('user_crypto_tx_hash')}, 'verified'
      from orders where status = 'crypto_verify_pending'
      returning *
    )
    insert into chain_transaction (chain, tx_hash, order_id) select chain, tx_hash, order_id from verdict`);
}

const versionAt = (stage: Stage): number => STAGES.indexOf(stage) + 1;

/** The input that the workflow passes to the step, for an order that has completed all earlier stages. */
export const stepInput = (stage: Stage, order: NewOrder): StepInput => ({
  orderId: order.id,
  forVersion: versionAt(stage),
  state: {
    ...{ version: versionAt(stage), status: stage.from, lpId: Number(order.lp_id) },
    ...{ excludedLpIds: [], rejectedTxHashes: [], reoffers: 0, rejections: 0, replacements: 0 },
    ...{ timeoutAt: null, frozenMs: null, slashedUsd: null },
    txHash: stage.step === 'complete' ? transactionOf(order) : null,
  },
  requestId: randomUUID(),
  actor: 'service',
  command: stage.command(order),
});
