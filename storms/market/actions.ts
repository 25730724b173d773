import type { SignalCommand, SignalTrigger } from '../../src/domain/order-commands.ts';
import type { OrderState } from '../../src/domain/order-state.ts';
import type { Random } from '../../test/support/random.ts';
import type { DepositSeen, MarketAgent, MarketLp, OrderSeen, View } from './view.ts';

/** An action of a participant. It is plain data, so that choosing an action changes nothing. */
export type Action =
  | { kind: 'call'; call: OrderCall }
  | { kind: 'pay'; agent: MarketAgent; usd: number }
  /** Transfers tokens to an LP, and settles the order with the hash unless `isSilent`. */
  | { kind: 'transfer'; agent: MarketAgent; order: OrderSeen; lp: MarketLp; units: number; isSilent: boolean }
  | { kind: 'together'; actions: Action[] }
  | { kind: 'forge'; order: OrderSeen; name: SignalTrigger; actor: string; command: Forged; secret?: string }
  /** Signals the order's workflow with an invented later version of the order. */
  | { kind: 'inventVersion'; order: OrderSeen }
  /** Sends the genuine signals of an order again. */
  | { kind: 'repeat'; order: OrderSeen; name: SignalTrigger }
  /** Ends the order's workflow and starts another one with a forged state. */
  | { kind: 'replaceWorkflow'; order: OrderSeen; forgedState: Partial<OrderState> }
  /** The party performs an action, and the database loses its commits. */
  | { kind: 'lose'; order: OrderSeen; part: Action }
  /** Performs the step of a deadline, as a worker with a fast clock does. */
  | { kind: 'expireEarly'; order: OrderSeen }
  | { kind: 'pause'; agent: MarketAgent | null }
  | { kind: 'resume'; pauseId: number }
  | { kind: 'suspend' | 'approve' | 'forgive'; lp: MarketLp }
  | { kind: 'revoke'; agent: MarketAgent }
  | { kind: 'payOut'; lp: MarketLp; hash: string }
  /** Requests a withdrawal of the order's amount, to the LP whom the order's payer pays. */
  | { kind: 'withdrawLike'; lp: MarketLp; order: OrderSeen; payee: MarketLp }
  /** The platform sends the order's amount to its LP, and the agent settles with that. */
  | { kind: 'settleWithPlatform'; agent: MarketAgent; order: OrderSeen; lp: MarketLp }
  /** With a hash: the announcement names a transaction. */
  | { kind: 'announce'; lp: MarketLp; usd: number; hash?: string }
  | { kind: 'payDeposit'; deposit: DepositSeen; units: number }
  /** Without a hash: the one of the announcement. */
  | { kind: 'confirmDeposit'; lp: MarketLp; deposit: DepositSeen; hash?: string };

/** A command on an order that a participant sends to the API. */
export interface OrderCall {
  /** As in an event: `agent:3`, `lp:7`, `admin`. */
  actor: string;
  key: string | null;
  trigger: SignalTrigger;
  orderId: number;
  path: string;
  body: object;
}

/** Includes commands that only the workflow sends to itself. */
type Forged = SignalCommand | { trigger: 'verified' | 'invalid' | 'deadline'; version: number } | object;

/** An intention of a participant. `choose`: the action, or undefined if no order allows it now. */
export interface Intention {
  what: string;
  weight: number;
  choose: (random: Random, view: View) => Action | undefined;
}

const LP_VERBS = { claim: 'claim', fiatSent: 'fiat-sent', release: 'release', dispute: 'dispute' } as const;
const REASON = { reason: 'Nothing has arrived' };

export const byLp = (lp: MarketLp, trigger: keyof typeof LP_VERBS, order: OrderSeen): Action => ({
  kind: 'call',
  call: {
    ...{ actor: `lp:${lp.id}`, key: lp.key, trigger, orderId: order.id },
    path: `/api/orders/${order.id}/${LP_VERBS[trigger]}`,
    body: trigger === 'dispute' ? REASON : {},
  },
});

export const byAgent = (
  agent: MarketAgent,
  trigger: 'confirm' | 'cancel' | 'dispute',
  order: OrderSeen,
): Action => ({
  kind: 'call',
  call: {
    ...{ actor: `agent:${agent.keyId}`, key: agent.key, trigger, orderId: order.id },
    path: `/api/v1/${trigger}/${order.id}`,
    body: trigger === 'dispute' ? REASON : {},
  },
});

export const settleWith = (agent: MarketAgent, order: OrderSeen, hash: string): Action => ({
  kind: 'call',
  call: {
    ...{ actor: `agent:${agent.keyId}`, key: agent.key, trigger: 'settle', orderId: order.id },
    ...{ path: `/api/v1/settle/${order.id}`, body: { tx_hash: hash } },
  },
});

/** Expires the deadline of an order in the sandbox. A null key: the admin's. */
export const expire = (actor: string, key: string | null, order: OrderSeen): Action => ({
  kind: 'call',
  call: {
    ...{ actor, key, trigger: 'expireNow', orderId: order.id },
    // Only in this status: the order may have moved on.
    ...{ path: `/sandbox/orders/${order.id}/advance`, body: { status: order.status } },
  },
});

export const byAdmin = (trigger: 'resolve' | 'cancel' | 'unfreeze', order: OrderSeen): Action => ({
  kind: 'call',
  call: {
    ...{ actor: 'admin', key: null, trigger, orderId: order.id },
    path: `/api/admin/orders/${order.id}/${trigger}`,
    body: {
      reason: 'The operator looked into it',
      ...(trigger === 'resolve' ? { outcome: 'cancelled', slash_usd: 0 } : {}),
    },
  },
});

/** Other spellings of the same hash. */
export const SPELLINGS: ((hash: string) => string)[] = [
  (hash) => hash,
  (hash) => hash.toUpperCase(),
  (hash) => `0x${hash}`,
  (hash) => `0X${hash.toUpperCase()}`,
  (hash) => ` ${hash} `,
  (hash) => [...hash].map((digit, i) => (i % 2 ? digit.toUpperCase() : digit)).join(''),
];

/** Picks one of `from`. Undefined: there is none. It always takes one random value, so that the plan does not depend on `from`. */
export function pickAny<T>(random: Random, from: readonly T[]): T | undefined {
  const at = random.next();
  return from[Math.floor(at * from.length)];
}
