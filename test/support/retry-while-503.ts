import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from '../../dev/http-client.ts';
import { repeatUnmoved, retryAfterMs } from '../../dev/repeat-unmoved.ts';

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

/**
 * A step of an order that is repeated, as its answer asks, while no worker carries it out in time. The service must answer within
 * seconds, and a machine with many busy processes may need longer. Each repeat is reported, so that a service that has become
 * slow shows. `again`: see `repeatUnmoved`.
 */
export const repeated =
  <A extends unknown[]>(step: (...args: A) => Promise<Answer>, again = step) =>
  (...args: A): Promise<Answer> =>
    repeatUnmoved(
      () => step(...args),
      () => again(...args),
      () => void process.stderr.write(`a step was answered 503, and is repeated: ${step.name}\n`),
    );
