/**
 * After a strike an LP cools down: it is not quoted and cannot claim, not even automatically. `STRIKE_COOL_DOWN` sets the
 * length of the first cool-down, and each further strike doubles it.
 */

/** How long a strike counts, unless an admin forgives it. */
export const STRIKES_COUNT_FOR = '30 days';

export const MAX_COOL_DOWN_MS = 24 * 3_600_000;
