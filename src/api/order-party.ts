import type { Order } from '../db/entities/order.ts';
import type { Party } from './route.ts';

/** Whether somebody is the order's agent or its LP, or an admin. */
export function isPartyOf(order: Order, party: Party | null): boolean {
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
