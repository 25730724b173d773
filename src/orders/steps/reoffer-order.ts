import { agentIsActive } from '../../db/revoked-agent.ts';
import { FAILED_CLAIM } from './shared/failed-claim.ts';
import type { Step } from './shared/step.ts';

/** Another LP that may be offered the order: approved, with the rate and the token, and without a failed claim on it. */
const OTHER_LP = `exists (
      select from lp_rate rate
      join lp on lp.id = rate.lp_id and lp.status = 'approved'
      join lp_asset asset
        on asset.lp_id = lp.id and asset.symbol = orders.crypto_symbol and asset.chain = orders.crypto_chain
      where rate.currency = orders.currency and lp.id <> orders.lp_id and lp.id <> all (orders.excluded_lp_ids)
    )`;

/** Before the order's first claim deadline, the LPs may change their minds, so that none is required. */
export const MAY_REOFFER = `${agentIsActive('orders')} and (now() < orders.expires_at or ${OTHER_LP})`;

/**
 * The LP's claim has failed and the order is open again. After the order's first claim deadline, the step requires that
 * another LP can take the order. An order whose agent's key is revoked is not offered again.
 */
export const reofferOrder: Step = {
  ...FAILED_CLAIM,
  where: [...FAILED_CLAIM.where, MAY_REOFFER],
  unmet: 'nobody_else',
};
