import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from './http-client.ts';

const REPEATS = 5;

/** The wait that a 503 or 429 requires, in milliseconds. Throws if the response states none. */
export function retryAfterMs({ status, headers }: Answer): number {
  const seconds = Number(headers.get('retry-after'));
  if (!(seconds > 0)) throw new Error(`a response ${status} has no Retry-After header`);
  return seconds * 1_000;
}

/**
 * Carries out a step of an order, and repeats it, as its answer asks, while no worker carries it out in time. `again`: the repeat,
 * if it differs, because the call before may have moved the order after its answer. `onRepeat` is called before each repeat.
 */
export async function repeatUnmoved(
  step: () => Promise<Answer>,
  again = step,
  onRepeat = () => {},
): Promise<Answer> {
  let answer = await step();
  for (let left = REPEATS; left > 0 && isUnmoved(answer); left--) {
    onRepeat();
    await delay(retryAfterMs(answer));
    answer = await again();
  }
  return answer;
}

const isUnmoved = ({ status, body }: Answer) =>
  status === 503 && /cannot be moved at the moment/.test(body?.error);
