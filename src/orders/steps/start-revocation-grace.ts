import { agentIsActive } from '../../db/revoked-agent.ts';
import type { Step } from './shared/step.ts';

/**
 * The agent's key is revoked, so nobody would confirm or pay the order. Its LP may have sent the fiat and not reported it yet:
 * once, the LP gets time for that, whatever was left of the stage. A receipt says that fiat may be on its way: then
 * the order keeps its deadline, after which an admin decides.
 */
export const startRevocationGrace: Step = {
  where: [
    `not ${agentIsActive('orders')}`,
    'orders.receipt_url is null',
    `not exists (select from order_event e where e.order_id = orders.id and e.cause = 'revoke')`,
  ],
  unmet: 'wrong_state',
  // The stage goes on, with a deadline of its own: see `DEADLINE`.
  parameters: (_, { revocationGrace }) => ({ keepsDeadline: false, deadlineInMs: revocationGrace }),
};
