import { setTimeout as delay } from 'node:timers/promises';
import { readExposition } from '../../test/support/exposition.ts';

/** Calls that wait for work, for up to a minute, whether or not there are orders. */
const POLLS = /^Poll/;

/** The server adds what happened to its counters once a second. */
const REPORTED_WITHIN_MS = 2_000;

/** Before the name of a call to Temporal in `temporalCounts`. */
export const CALL = 'call ';

/** Sums of the server's counters so far: all calls, calls by name without polls, and requests to its store. */
export async function temporalCounts(url: string): Promise<Record<string, number>> {
  await delay(REPORTED_WITHIN_MS);
  const families = readExposition(await (await fetch(url)).text());
  const counts: Record<string, number> = { calls: 0, polls: 0, persistence: 0 };
  const add = (name: string, value: number) => {
    counts[name] = (counts[name] ?? 0) + value;
  };
  for (const { labels, value } of families.get('service_requests')?.samples ?? []) {
    if (labels.service_name !== 'frontend') continue;
    const operation = labels.operation ?? '';
    if (POLLS.test(operation)) add('polls', value);
    else {
      add('calls', value);
      add(CALL + operation, value);
    }
  }
  for (const { value } of families.get('persistence_requests')?.samples ?? []) add('persistence', value);
  return counts;
}
