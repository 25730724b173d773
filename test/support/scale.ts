/** The size of a test run: short in `npm test`, long in `npm run test:long` (`TEST_LONG=1`). */
export const scaled = <T>({ short, long }: { short: T; long: T }): T =>
  process.env.TEST_LONG ? long : short;

/** Enough time for either run, even on a much slower machine. */
export const SCALED_TIMEOUT_MS = scaled({ short: 300_000, long: 3_600_000 });
