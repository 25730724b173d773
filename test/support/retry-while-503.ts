import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from '../../dev/http-client.ts';

/** The wait that a 503 or 429 requires, in milliseconds. Throws if the response states none. */
export function retryAfterMs({ status, headers }: Answer): number {
  const seconds = Number(headers.get('retry-after'));
  if (!(seconds > 0)) throw new Error(`a response ${status} has no Retry-After header`);
  return seconds * 1_000;
}

/** Repeats a call while its response is a 503, and returns the first other response. */
export async function retryWhile503(call: () => Promise<Answer>, timeoutMs = 120_000): Promise<Answer> {
  const giveUpAt = Date.now() + timeoutMs;
  for (;;) {
    const answer = await call();
    if (answer.status !== 503) return answer;
    if (Date.now() > giveUpAt) throw new Error(`still answered 503 after ${timeoutMs} ms`);
    await delay(retryAfterMs(answer));
  }
}

const REPEATS = 5;

/**
 * A step of an order that is repeated, as its answer asks, while no worker carries it out in time. The service must answer within
 * seconds, and a machine with many busy processes may need longer. Each repeat is reported, so that a service that has become
 * slow shows. `again`: the repeat, if it differs, because the call before may have moved the order after its answer.
 */
export const repeated =
  <A extends unknown[]>(step: (...args: A) => Promise<Answer>, again = step) =>
  async (...args: A): Promise<Answer> => {
    let answer = await step(...args);
    for (let left = REPEATS; left > 0 && isUnmoved(answer); left--) {
      process.stderr.write(`a step was answered 503, and is repeated: ${step.name}\n`);
      await delay(retryAfterMs(answer));
      answer = await again(...args);
    }
    return answer;
  };

const isUnmoved = ({ status, body }: Answer) =>
  status === 503 && /cannot be moved at the moment/.test(body?.error);
