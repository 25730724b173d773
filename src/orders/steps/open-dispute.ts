import { freeTransactions, IS_INVALID } from './shared/chain-transaction.ts';
import { MAY_DISPUTE_CLAIM } from './shared/claim-dispute.ts';
import { DEADLINE_COUNTS } from './shared/deadline.ts';
import type { Step } from './shared/step.ts';

/**
 * An admin has to decide. The collateral stays locked. The deadline of a claimed order leads here only with a receipt,
 * and an agent may dispute it only `DISPUTE_AFTER` after the claim. If too many invalid transactions led to the
 * dispute, the order keeps no reservation, as in `rejectTransaction`, but the row keeps the last hash for the admin.
 */
export const openDispute: Step = {
  where: [
    DEADLINE_COUNTS,
    `($cause <> 'invalid' or ${IS_INVALID})`,
    `(orders.status <> 'claimed' or $cause <> 'deadline' or orders.receipt_url is not null)`,
    `(orders.status <> 'claimed' or $cause <> 'dispute' or ${MAY_DISPUTE_CLAIM})`,
  ],
  unmet: 'no_verdict',
  effects: [freeTransactions(`$cause = 'invalid'`)],
  parameters: (_, { disputeAfter }) => ({ disputeAfter }),
  hasRequestNote: true,
};
