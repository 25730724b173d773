const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** The longest duration that a setting or a request may name. */
export const MAX_DURATION_MS = 365 * UNITS.d;

/** Returns the milliseconds of a duration such as `500ms`, `15m` or `24h`, or undefined if the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit] = /^(\d{1,15})(ms|s|m|h|d)$/.exec(text) ?? [];
  return unit === undefined ? undefined : Number(amount) * UNITS[unit as keyof typeof UNITS];
}

/** The text of a duration in its largest whole unit, as `parseDuration` reads it: `10m` for 600,000 ms. */
export function durationText(ms: number): string {
  // Every whole number is a multiple of a millisecond.
  const [unit, length] = Object.entries(UNITS).findLast(([, one]) => ms % one === 0) as [string, number];
  return `${ms / length}${unit}`;
}
