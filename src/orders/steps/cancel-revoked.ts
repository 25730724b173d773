import { agentIsActive } from '../../db/revoked-agent.ts';
import type { Step } from './shared/step.ts';

/**
 * The agent's key is revoked, so the agent can no longer confirm or settle the order, and the order ends. If an LP has
 * claimed it, the LP gets its collateral back and no strike. The LP stays on the row, so that it can read the reason. A
 * receipt says that fiat may be on its way: then the order stays, and an admin decides once the fiat is sent.
 */
export const cancelRevoked: Step = {
  set: { cancelled_at: 'now()' },
  where: [`not ${agentIsActive('orders')}`, 'orders.receipt_url is null'],
  unmet: 'wrong_state',
  posting: { also: 'before', amounts: { release: 'coalesce(before.collateral_locked, 0)' } },
};
