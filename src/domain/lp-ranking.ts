/**
 * The figures that rank LPs with the same price. `src/market/lps/ranking.ts` has the ranking itself, in SQL, because the
 * database sorts thousands of LPs.
 */

/**
 * The ranking counts how many orders of this size the LP's free collateral covers, up to this number. An LP whose
 * collateral is nearly used up may have none left when it claims. Collateral beyond this number does not help the payer.
 */
export const MAX_COUNTED_ORDERS = 3;

/** How many of an LP's latest outcomes form its completion rate, and how many of its latest payouts its median time. */
export const RECENT = 100;

/**
 * Every LP's record starts with these figures: nine of ten orders completed, the fiat sent within ten minutes. So a new
 * LP ranks between LPs with better and LPs with worse records. A single order does not move an LP from one end of the
 * ranking to the other.
 */
export const INITIAL_RECORD = { completed: 9, failedClaims: 1, fiatSeconds: 600 } as const;

/**
 * An LP has left its quotes if at least `least` of its last `among`, and more than half of them, expired unclaimed. It then ranks
 * behind all others for `hours` after the last of these. `among` is small, so that an LP with many claims does not leave a
 * hundred orders before it ranks last.
 */
export const LEFT_QUOTES = { among: 10, least: 5, hours: 24 } as const;
