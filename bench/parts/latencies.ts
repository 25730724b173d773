import type { Event } from './committer.ts';

/** Milliseconds of each delivery. Throws unless each event came once to each socket. */
export function latencies(events: Event[], heard: Event[], sockets: number): number[] {
  const began = new Map(events.map(({ id, at }) => [id, at]));
  const times = new Map<number, number>();
  const took = heard.map(({ id, at }) => {
    times.set(id, (times.get(id) ?? 0) + 1);
    return at - (began.get(id) ?? Number.NaN);
  });
  if (began.size !== times.size || events.some(({ id }) => times.get(id) !== sockets))
    throw new Error(`Of ${events.length} events at ${sockets} sockets not each came once`);
  return took;
}
