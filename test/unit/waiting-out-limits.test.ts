import { expect, test } from '@jest/globals';
import { type Answer, waitingOutLimits } from '../../dev/http-client.ts';

const answer = (status: number, retryAfter?: string): Answer => ({
  status,
  body: undefined,
  headers: new Headers(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
});

test('a call waits as long as each 429 asks, and returns every other answer', async () => {
  const answers = [answer(429, '0.01'), answer(429, '0.02'), answer(201)];
  const waits: number[] = [];
  const call = waitingOutLimits(
    async () => answers.shift() as Answer,
    (seconds) => waits.push(seconds),
  );
  expect((await call('POST', '/api/v1/pay')).status).toBe(201);
  expect(waits).toEqual([0.01, 0.02]);
  for (const other of [answer(429), answer(409, '3'), answer(503, '2')]) {
    answers.push(other);
    expect(await call('GET', '/')).toBe(other);
  }
});
