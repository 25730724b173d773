import type { OrderStatus } from '../../src/domain/order-state.ts';

/** Who made a transition; `first` and `second` are the LPs of an order, of which the first was quoted. */
type By = 'agent' | 'first' | 'second' | 'service' | 'admin';

interface Step {
  to: OrderStatus;
  cause: string;
  by: By;
  /** After the order was created. */
  minutes: number;
  /** The LP that the row names from then on. */
  lp: 'first' | 'second' | null;
  /** How often a transaction has been named by then, and whether the last one still is. */
  transactions?: number;
  named?: boolean;
}

/** What became of an order, and how many of a thousand orders that is. */
export interface Life {
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
/** Taken from its first LP and claimed by the second. */
const letDown = (cause: 'deadline' | 'release', minutes: number): Step[] => [
  paid,
  claimed,
  { to: 'matched', cause, by: cause === 'release' ? 'first' : 'service', minutes, lp: null },
  { to: 'claimed', cause: 'claim', by: 'second', minutes: minutes + 2, lp: 'second' },
  ...end('second', minutes + 8),
];

/** The ends that orders come to. Most are completed as it should be; each other way is there, too. */
export const ENDED: readonly Life[] = [
  { name: 'completed', ofThousand: 825, steps: [paid, claimed, ...end('first', 8)] },
  { name: 'completed, its first LP too late', ofThousand: 5, steps: letDown('deadline', 32) },
  { name: 'completed, given back by its first LP', ofThousand: 20, steps: letDown('release', 3) },
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
    name: 'nobody claimed it',
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

/** Orders that go on: the same few, however many have ended. */
export const LIVE: readonly Life[] = [
  { name: 'open', ofThousand: 500, steps: [paid] },
  { name: 'claimed', ofThousand: 200, steps: [paid, claimed] },
  { name: 'fiat sent', ofThousand: 150, steps: [paid, claimed, fiatSent('first', 8)] },
  {
    name: 'confirmed',
    ofThousand: 150,
    steps: [paid, claimed, fiatSent('first', 8), confirmed('first', 12)],
  },
];
