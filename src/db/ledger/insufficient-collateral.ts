import { violates } from '../errors.ts';

/** Whether a statement failed because a posting would have taken more than the LP has available. */
export const isInsufficientCollateral = (error: unknown): boolean =>
  violates(error, 'lp_collateral_available_not_negative');
