export const LP_STATUSES = ['pending', 'approved', 'suspended'] as const;
/** Only an approved LP is quoted and may claim. Any LP may finish the orders that it owns. */
export type LpStatus = (typeof LP_STATUSES)[number];
