import { UNSETTLED_STATUSES } from '../../../domain/order-state.ts';

/** SQL literals for values of our own. */
export const literals = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

/** The statuses in which an LP's collateral is locked. */
export const UNSETTLED = literals(UNSETTLED_STATUSES);
