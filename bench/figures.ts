/** The smallest of `all` that at least `p` percent of them do not exceed. */
export function percentile(all: readonly number[], p: number): number {
  const sorted = [...all].sort((a, b) => a - b);
  const found = sorted[Math.max(0, Math.ceil((p / 100) * sorted.length) - 1)];
  if (found === undefined) throw new RangeError('A percentile needs at least one figure');
  return found;
}

/** Median, minimum and maximum of several rounds. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

export function spread(all: readonly number[]): Spread {
  const sorted = [...all].sort((a, b) => a - b);
  const middle = sorted.slice(Math.ceil(all.length / 2) - 1, Math.floor(all.length / 2) + 1);
  const median = middle.reduce((sum, one) => sum + one, 0) / middle.length;
  return { median, min: Math.min(...all), max: Math.max(...all) };
}
