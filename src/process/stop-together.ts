/** Stops several parts at the same time, and waits for all of them. Rejects if some failed to stop, when the others have stopped. */
export async function stopTogether(stops: readonly (() => Promise<unknown>)[]): Promise<void> {
  const ends = await Promise.allSettled(stops.map((stop) => stop()));
  const failures = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  if (failures.length > 1) throw new AggregateError(failures, failures.map(String).join('; '));
  if (failures.length === 1) throw failures[0];
}
