import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from '../../dev/http-client.ts';
import { retryAfterMs } from '../../dev/repeat-unmoved.ts';

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
