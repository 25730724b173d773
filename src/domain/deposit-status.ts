/** A deposit of collateral counts once it is confirmed. */
export const DEPOSIT_STATUSES = ['pending', 'confirmed'] as const;
export type DepositStatus = (typeof DEPOSIT_STATUSES)[number];
