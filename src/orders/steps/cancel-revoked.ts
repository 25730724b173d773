import { agentIsActive } from '../../db/revoked-agent.ts';
import { DEADLINE_COUNTS } from './shared/deadline.ts';
import type { Step } from './shared/step.ts';

/**
 * The agent's key is revoked, so the agent can no longer confirm or settle the order, and the order ends. A claimed order ends
 * at its deadline, or when its LP releases it. The LP gets its collateral back and no strike, and stays on the row, so that
 * it can read the reason. A receipt says that fiat may be on its way: then an admin decides.
 */
export const cancelRevoked: Step = {
  set: {
    cancelled_at: 'now()',
    // So that a repeated release gets the same answer.
    excluded_lp_ids: `case $cause when 'release' then array_append(orders.excluded_lp_ids, orders.lp_id) else orders.excluded_lp_ids end`,
  },
  where: [
    `not ${agentIsActive('orders')}`,
    'orders.receipt_url is null',
    `(orders.status = 'matched' or $cause <> 'revoke')`,
    DEADLINE_COUNTS,
  ],
  unmet: 'wrong_state',
  posting: { also: 'before', amounts: { release: 'coalesce(before.collateral_locked, 0)' } },
};
