import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from '../../demo/http.ts';

/** The wait that a 503 or 429 asks for, in milliseconds; an answer without one breaks the contract. */
export function retryAfterMs({ status, headers }: Answer): number {
  const seconds = Number(headers.get('retry-after'));
  if (!(seconds > 0)) throw new Error(`an answer ${status} does not say when to come back`);
  return seconds * 1_000;
}

/** The answer to a call that is repeated, as the contract allows, for as long as it is answered 503. */
export async function served(call: () => Promise<Answer>, patienceMs = 120_000): Promise<Answer> {
  const giveUpAt = Date.now() + patienceMs;
  for (;;) {
    const answer = await call();
    if (answer.status !== 503) return answer;
    if (Date.now() > giveUpAt) throw new Error(`still answered 503 after ${patienceMs} ms`);
    await delay(retryAfterMs(answer));
  }
}
