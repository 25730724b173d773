/** What becomes of an order, in the order in which it does. Free of imports, so that it runs in a workflow's sandbox. */
export const CHANGES = {
  claim: { from: 'matched', to: 'claimed' },
  fiatSent: { from: 'claimed', to: 'fiat_sent' },
  confirm: { from: 'fiat_sent', to: 'confirmed' },
  settle: { from: 'confirmed', to: 'crypto_verify_pending' },
  complete: { from: 'crypto_verify_pending', to: 'completed' },
} as const;

export type ChangeName = keyof typeof CHANGES;
export type Answer = 'done' | 'refused';

/** A change that somebody asks for. */
export interface ChangeRequest {
  /** Names the request: carried out a second time, it changes nothing and is answered as at first. */
  id: string;
  change: ChangeName;
  /** The LP's id for `claim` and `fiatSent`, the transaction's hash for `settle`. */
  value: string | null;
}

/** How long a caller waits for an answer before it is told that there is none. */
export const ANSWER_WITHIN_MS = 10_000;

/** What is done after the settlement, by itself; it has a name as requests have, so that it is done once. */
export const completion = (orderId: number): ChangeRequest => ({
  id: `complete/${orderId}`,
  change: 'complete',
  value: null,
});

/** The type of the failure by which a workflow refuses a request. */
export const REFUSED = 'refused';
