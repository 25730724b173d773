import type { Order } from '../db/entities/order.ts';

type Caller =
  | { kind: 'admin' }
  | { kind: 'agent'; agent: { id: number } }
  | { kind: 'lp'; lp: { id: number } };

/** Whether the caller is the order's agent, its LP or an admin. */
export function isPartyOf(order: Order, caller: Caller | null): boolean {
  switch (caller?.kind) {
    case 'admin':
      return true;
    case 'agent':
      return order.agent_key_id === caller.agent.id;
    case 'lp':
      // The quoted LP is not a party. Only a claim gives the order a receive address.
      return order.lp_id === caller.lp.id && Boolean(order.lp_receive_address);
    default:
      return false;
  }
}

/** Whether the LP owns the order, or had a failed claim of it. */
export const hasOwned = (order: Order, lpId: number): boolean =>
  isPartyOf(order, { kind: 'lp', lp: { id: lpId } }) || order.excluded_lp_ids.includes(lpId);
