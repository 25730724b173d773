/**
 * What decides between LPs that ask payers for the same price. The order itself is `src/db/queries/lp-ranking.ts`:
 * it is for the database to sort thousands.
 */

/**
 * Free collateral counts in orders of the size at hand, and not beyond this many. One that is about to run out of it
 * may have none left when it comes to claim; the richer of two that both have plenty is no better for the payer.
 */
export const ROOM_THAT_COUNTS = 3;

/** How many of an LP's last outcomes make up its completion rate, and of its last payouts its median time. */
export const RECENT = 100;

/**
 * What every LP is counted as having behind it besides its own record: nine orders of ten completed, the fiat sent
 * within ten minutes. So a new LP stands behind those that have proved better, and before those that have proved worse;
 * and one lucky order, or one that went wrong, does not move anybody from one end to the other.
 */
export const BEFORE_ANY_RECORD = { completed: 9, letDown: 1, fiatSeconds: 600 } as const;
