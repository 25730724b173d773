import type { AutoClaim } from './auto-claim.ts';
import type { BulkProgress } from './bulk.ts';
import type { FinalVerdict } from './payment-verdict.ts';
import type { TraceContext } from './trace-context.ts';

/*
 * The activities that workflows call besides the steps (`order-steps.ts`). Workflows import these shapes and no activity, so
 * nothing that needs Node reaches Temporal's sandbox.
 */

export interface AutoClaimActivities {
  /** Returns the claims to try for an open order, the best first. Changes nothing. */
  findAutoClaims: (input: TraceContext & { orderId: number }) => Promise<AutoClaim[]>;
}

export interface BulkActivities {
  /** Treats the next orders of a bulk run. The input carries its id alone: the rows say what to do, and whether to. */
  treatBulkOrders: (input: { runId: number }) => Promise<BulkProgress>;
}

export interface VerificationActivities {
  /** Fails while the chain has no final answer or cannot be reached. */
  verifyTransaction: (input: TraceContext & { orderId: number }) => Promise<FinalVerdict>;
}

/** `seq`: the sequence number of the transition that the webhook reports. */
export interface DeliverWebhookInput extends TraceContext {
  orderId: number;
  seq: number;
}

export interface WebhookActivities {
  /**
   * Attempts until the receiver accepts the webhook or no attempt is left. Fails between two attempts once `stopped` is
   * aborted, so that Temporal gives the rest to another worker.
   */
  deliverWebhook: (input: DeliverWebhookInput, stopped?: AbortSignal) => Promise<'delivered' | 'exhausted'>;
  /**
   * Makes the first attempt if the receiver was recently fast and no earlier webhook of the order is pending. `later`:
   * `deliverWebhook` takes over. An attempt that takes longer than a workflow task may wait continues in the background.
   */
  deliverInline: (input: DeliverWebhookInput) => Promise<'done' | 'later'>;
}
