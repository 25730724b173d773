import { violates } from '../errors.ts';

const BELOW_ZERO = [
  'lp_collateral_available_not_negative',
  'lp_collateral_locked_not_negative',
  'lp_collateral_withdrawing_not_negative',
  'platform_account_not_negative',
];

/** Whether a statement failed because a posting would have taken more than its account has. */
export const isBelowZero = (error: unknown): boolean => BELOW_ZERO.some((name) => violates(error, name));

/** Whether a statement failed because a posting would move money that belongs to open orders or withdrawals. */
export const isOwed = (error: unknown): boolean => violates(error, 'admin_posting_owed');
