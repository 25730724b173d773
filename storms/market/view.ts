import type { OrderStatus } from '../../src/domain/order-state.ts';
import type { Agent, TestLp } from '../../test/support/actors.ts';

/** What the participants know. The dishonest ones know every order, address and transfer. */
export interface View {
  /** Orders that have not ended. */
  live: OrderSeen[];
  transfers: Transfer[];
  /** Announced collateral. */
  deposits: DepositSeen[];
  agents: MarketAgent[];
  lps: MarketLp[];
  /** The active pause. Null: none. */
  pauseId: number | null;
  /** The number of live orders above which no participant pays more. */
  maxLive: number;
}

export interface OrderSeen {
  id: number;
  status: OrderStatus;
  version: number;
  agentKeyId: number;
  /** The LP that owns the order or was quoted. */
  lpId: number | null;
  excludedLpIds: number[];
  isFrozen: boolean;
  reoffers: number;
  rejections: number;
  /** The order's amount in tokens, decimal string. */
  amount: string;
}

/** A transfer on the chain, and the order for which its payer made it. */
export interface Transfer {
  /** Normalised. */
  hash: string;
  orderId: number;
  agentKeyId: number;
  lpId: number;
  /** Whether it was made after the claim, with exactly the amount of the order. */
  isRight: boolean;
}

/** An announced deposit of collateral, and the transfer that its LP made for it. */
export interface DepositSeen {
  id: number;
  lpId: number;
  /** The exact amount, decimal string. */
  amount: string;
  address: string;
  /** Whether the announcement named a transaction, which belongs to another LP. */
  hasNamed: boolean;
  isBeingPaid: boolean;
  /** Normalised. Null: not on the chain yet. */
  hash: string | null;
  /** Whether the transfer has exactly the amount. */
  isRight: boolean;
  isCredited: boolean;
}

export interface MarketAgent extends Agent {
  /** Pays for its orders and confirms them, even if it pays for more than its limit allows. */
  isHonest: boolean;
  isRevoked: boolean;
  /** USD; null: the default. */
  cap: number | null;
}

export interface MarketLp extends TestLp {
  /** Sends the fiat of each order that it claims. */
  isHonest: boolean;
  isSuspended: boolean;
  /** An admin suspends and approves it at random. */
  isWatched: boolean;
}

export const agentOf = (view: View, order: OrderSeen): MarketAgent => {
  const agent = view.agents.find(({ keyId }) => keyId === order.agentKeyId);
  if (!agent)
    throw new Error(`Order ${order.id} belongs to agent ${order.agentKeyId}, which is not in the market`);
  return agent;
};
export const lpOf = (view: View, order: OrderSeen): MarketLp | undefined =>
  view.lps.find(({ id }) => id === order.lpId);
