/** A requested withdrawal waits for an admin, who pays it out or rejects it. Both are final. */
export const WITHDRAWAL_STATUSES = ['requested', 'paid', 'rejected'] as const;
export type WithdrawalStatus = (typeof WITHDRAWAL_STATUSES)[number];
