import { limits } from '../../src/settings/limits.ts';
import { settingsIn } from '../../src/settings/setting.ts';

/** Turns every rate limit off: a test sends more than a user does. A test of a limit sets it again. */
export const NO_RATE_LIMITS: Record<string, string> = Object.fromEntries(
  [...settingsIn(limits).keys()].map((name) => [name, '0']),
);
