/**
 * After a strike an LP cools down: it is not quoted, nothing is claimed for it, and it may not claim. The first
 * cool-down is as long as `STRIKE_COOL_DOWN` says, and each strike more doubles it.
 */

/** A strike counts for so long, unless it is forgiven. */
export const STRIKES_COUNT_FOR = '30 days';

/** No cool-down is longer. */
export const LONGEST_COOL_DOWN_MS = 24 * 3_600_000;
