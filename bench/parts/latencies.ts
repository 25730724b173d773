import type { Event } from './committer.ts';

/** Milliseconds of each delivery. Throws unless each socket received each event exactly once. */
export function latencies(events: Event[], received: Event[], sockets: number): number[] {
  const began = new Map(events.map(({ id, at }) => [id, at]));
  const times = new Map<number, number>();
  const took = received.map(({ id, at }) => {
    times.set(id, (times.get(id) ?? 0) + 1);
    return at - (began.get(id) ?? Number.NaN);
  });
  if (began.size !== times.size || events.some(({ id }) => times.get(id) !== sockets))
    throw new Error(
      `Not every one of ${sockets} sockets received each of ${events.length} events exactly once`,
    );
  return took;
}
