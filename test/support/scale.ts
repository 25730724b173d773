/** How large a test runs: short with all the others, long with `npm run test:long` (`TEST_LONG=1`). */
export const scaled = <T>({ short, long }: { short: T; long: T }): T =>
  process.env.TEST_LONG ? long : short;

/** Time enough for either run, on a machine that is much slower. */
export const SCALED_TIMEOUT_MS = scaled({ short: 300_000, long: 3_600_000 });
