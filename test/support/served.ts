import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from '../../dev/http-client.ts';

/** The wait that a 503 or 429 requires, in milliseconds. Throws if the response states none. */
export function retryAfterMs({ status, headers }: Answer): number {
  const seconds = Number(headers.get('retry-after'));
  if (!(seconds > 0)) throw new Error(`an answer ${status} does not say when to come back`);
  return seconds * 1_000;
}

/** Repeats a call until its response is not a 503, and returns that response. */
export async function served(call: () => Promise<Answer>, patienceMs = 120_000): Promise<Answer> {
  const giveUpAt = Date.now() + patienceMs;
  for (;;) {
    const answer = await call();
    if (answer.status !== 503) return answer;
    if (Date.now() > giveUpAt) throw new Error(`still answered 503 after ${patienceMs} ms`);
    await delay(retryAfterMs(answer));
  }
}
