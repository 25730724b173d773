/** A deposit adds to the collateral when it is confirmed. */
export const DEPOSIT_STATUSES = ['pending', 'confirmed'] as const;
export type DepositStatus = (typeof DEPOSIT_STATUSES)[number];
