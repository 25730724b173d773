/** The smallest of `all` that `p` percent of them do not exceed. */
export function percentile(all: readonly number[], p: number): number {
  const sorted = [...all].sort((a, b) => a - b);
  const found = sorted[Math.max(0, Math.ceil((p / 100) * sorted.length) - 1)];
  if (found === undefined) throw new RangeError('There is nothing to take a percentile of');
  return found;
}
