/** The changes of an order, in sequence. This file imports nothing, so that it runs in a workflow's sandbox. */
export const CHANGES = {
  claim: { from: 'matched', to: 'claimed' },
  fiatSent: { from: 'claimed', to: 'fiat_sent' },
  confirm: { from: 'fiat_sent', to: 'confirmed' },
  settle: { from: 'confirmed', to: 'crypto_verify_pending' },
  complete: { from: 'crypto_verify_pending', to: 'completed' },
} as const;

export type ChangeName = keyof typeof CHANGES;
export type Answer = 'done' | 'refused';

/** A requested change. */
export interface ChangeRequest {
  /** Identifies the request: a repeated request changes nothing and gets the first answer. */
  id: string;
  change: ChangeName;
  /** The LP's id for `claim` and `fiatSent`, the transaction's hash for `settle`. */
  value: string | null;
}

/** After this time without an answer, the caller gets an error. */
export const ANSWER_WITHIN_MS = 10_000;

/** The automatic change after the settlement. It has an id as requests have, so that it happens once. */
export const completion = (orderId: number): ChangeRequest => ({
  id: `complete/${orderId}`,
  change: 'complete',
  value: null,
});

/** The failure type with which a workflow refuses a request. */
export const REFUSED = 'refused';
