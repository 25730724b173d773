import type { OrderStatus } from '../../src/domain/order-state.ts';

/** The actor of a transition. `first` is the LP that was quoted, `second` the LP that claims after it. */
type By = 'agent' | 'first' | 'second' | 'service' | 'admin';

interface Step {
  to: OrderStatus;
  cause: string;
  by: By;
  /** Minutes since the order was created. */
  minutes: number;
  /** The LP in the row after this step. */
  lp: 'first' | 'second' | null;
  /** Settlement transactions submitted so far, and whether the row holds the last one. */
  transactions?: number;
  named?: boolean;
}

/** The transitions of an order, and how many of a thousand orders have them. */
export interface Lifecycle {
  name: string;
  ofThousand: number;
  steps: Step[];
}

const paid: Step = { to: 'matched', cause: 'pay', by: 'agent', minutes: 0, lp: 'first' };
const claimed: Step = { to: 'claimed', cause: 'claim', by: 'first', minutes: 2, lp: 'first' };
const fiatSent = (lp: 'first' | 'second', minutes: number): Step => ({
  ...{ to: 'fiat_sent', cause: 'fiatSent', by: lp, minutes, lp },
});
const confirmed = (lp: 'first' | 'second', minutes: number): Step => ({
  ...{ to: 'confirmed', cause: 'confirm', by: 'agent', minutes, lp },
});
const settled = (lp: 'first' | 'second', minutes: number, transactions = 1): Step => ({
  ...{ to: 'crypto_verify_pending', cause: 'settle', by: 'agent', minutes, lp, transactions, named: true },
});
const verified = (lp: 'first' | 'second', minutes: number, transactions = 1): Step => ({
  ...{ to: 'completed', cause: 'verified', by: 'service', minutes, lp, transactions, named: true },
});
const end = (lp: 'first' | 'second', minutes: number): Step[] => [
  fiatSent(lp, minutes),
  confirmed(lp, minutes + 4),
  settled(lp, minutes + 7),
  verified(lp, minutes + 8),
];
/** The first LP's claim fails, and the second LP claims the order. */
const failedClaim = (cause: 'deadline' | 'release', minutes: number): Step[] => [
  paid,
  claimed,
  { to: 'matched', cause, by: cause === 'release' ? 'first' : 'service', minutes, lp: null },
  { to: 'claimed', cause: 'claim', by: 'second', minutes: minutes + 2, lp: 'second' },
  ...end('second', minutes + 8),
];

/** Lifecycles of ended orders. Most take the happy path, and every other ending occurs too. */
export const ENDED: readonly Lifecycle[] = [
  { name: 'completed', ofThousand: 825, steps: [paid, claimed, ...end('first', 8)] },
  { name: 'completed, its first LP too late', ofThousand: 5, steps: failedClaim('deadline', 32) },
  { name: 'completed, released by its first LP', ofThousand: 20, steps: failedClaim('release', 3) },
  {
    name: 'completed with its second transaction',
    ofThousand: 20,
    steps: [
      ...[paid, claimed, fiatSent('first', 8), confirmed('first', 12), settled('first', 15)],
      { to: 'confirmed', cause: 'invalid', by: 'service', minutes: 16, lp: 'first', transactions: 1 },
      ...[settled('first', 20, 2), verified('first', 21, 2)],
    ],
  },
  {
    name: 'not claimed by any LP',
    ofThousand: 90,
    steps: [paid, { to: 'cancelled', cause: 'deadline', by: 'service', minutes: 15, lp: 'first' }],
  },
  {
    name: 'cancelled by its agent',
    ofThousand: 30,
    steps: [paid, { to: 'cancelled', cause: 'cancel', by: 'agent', minutes: 2, lp: 'first' }],
  },
  {
    name: 'disputed and resolved',
    ofThousand: 10,
    steps: [
      ...[paid, claimed, fiatSent('first', 8)],
      { to: 'disputed', cause: 'dispute', by: 'agent', minutes: 40, lp: 'first' },
      { to: 'completed', cause: 'resolve', by: 'admin', minutes: 90, lp: 'first' },
    ],
  },
];

/** Lifecycles of live orders. Their number does not depend on the number of ended orders. */
export const LIVE: readonly Lifecycle[] = [
  { name: 'open', ofThousand: 500, steps: [paid] },
  { name: 'claimed', ofThousand: 200, steps: [paid, claimed] },
  { name: 'fiat sent', ofThousand: 150, steps: [paid, claimed, fiatSent('first', 8)] },
  {
    name: 'confirmed',
    ofThousand: 150,
    steps: [paid, claimed, fiatSent('first', 8), confirmed('first', 12)],
  },
];
