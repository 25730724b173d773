import type { Order } from '../db/entities/order.ts';

/** As much of somebody as tells that. */
type Known =
  | { kind: 'admin' }
  | { kind: 'agent'; agent: { id: number } }
  | { kind: 'lp'; lp: { id: number } };

/** Whether somebody is the order's agent or its LP, or an admin. */
export function isPartyOf(order: Order, party: Known | null): boolean {
  switch (party?.kind) {
    case 'admin':
      return true;
    case 'agent':
      return order.agent_key_id === party.agent.id;
    case 'lp':
      // The LP quoted is none of its parties: only a claim gives the order an address to pay to.
      return order.lp_id === party.lp.id && Boolean(order.lp_receive_address);
    default:
      return false;
  }
}

/** Whether an LP has the order now, or had it and let it down. */
export const hasHad = (order: Order, lpId: number): boolean =>
  isPartyOf(order, { kind: 'lp', lp: { id: lpId } }) || order.excluded_lp_ids.includes(lpId);
