import { agentIsActive } from '../../db/revoked-agent.ts';
import type { Step } from './shared/step.ts';

/**
 * The agent's key is revoked, so nobody would confirm or pay the order: it ends. If an LP has claimed it, the LP gets its
 * collateral back and no strike, and stays on the row, so that the LP can read why. A receipt says that fiat may be on
 * its way: then the order stays, and an admin decides once the fiat is sent.
 */
export const cancelRevoked: Step = {
  set: { cancelled_at: 'now()' },
  where: [`not ${agentIsActive('orders')}`, 'orders.receipt_url is null'],
  unmet: 'wrong_state',
  posting: { also: 'before', amounts: { release: 'coalesce(before.collateral_locked, 0)' } },
};
