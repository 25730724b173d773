import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createCaller, expectStatus } from '../../../dev/http-client.ts';
import { freePort } from '../../../src/process/free-port.ts';
import { newLp, newUnlimitedAgent, pay, payment, statusOf } from '../../support/actors.ts';
import { ADMIN_KEY, WEBHOOK_SECRET } from '../../support/corridor.ts';
import { databaseSettings, freshDatabase } from '../../support/database.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventuallyEquals } from '../../support/eventually.ts';
import { run, type TestProcess } from '../../support/processes.ts';
import { claim, confirm, fiatSent, settleAgain } from '../../support/repeated-steps.ts';
import { retryWhile503 } from '../../support/retry-while-503.ts';
import { SCALED_TIMEOUT_MS, scaled } from '../../support/scale.ts';

const ORDERS = scaled({ short: 200, long: 20_000 });
/** The number of orders that complete. The test cancels the others immediately. */
const COMPLETED = scaled({ short: 16, long: 2_000 });
const TOGETHER = 8;
/** The test measures the heap after each of this many equal parts. */
const PARTS = 8;
/** The allowed growth of the heap from the second quarter to the last. */
const GROWTH = 0.05;

/** API and worker in one process of their own. */
let corridor: TestProcess;
let baseUrl: string;
beforeAll(async () => {
  const port = await freePort();
  baseUrl = `http://127.0.0.1:${port}`;
  corridor = run('--expose-gc', ['--import', './test/support/heap-on-signal.ts', 'src/main.ts', 'all'], {
    PORT: String(port),
    ...databaseSettings(await freshDatabase()),
    TEMPORAL_ADDRESS: testEnvironment().temporalAddress,
    TEMPORAL_NAMESPACE: `test-memory-${randomBytes(4).toString('hex')}`,
    ADMIN_API_KEY: ADMIN_KEY,
    WEBHOOK_SECRET,
    PAY_RATE_LIMIT: '0',
    AGENT_RATE_LIMIT: '0',
    LOG_LEVEL: 'warn',
  });
  await corridor.prints('corridor: ready');
}, SCALED_TIMEOUT_MS);
afterAll(async () => {
  corridor.kill('SIGTERM');
  expect(await corridor.ended).toBe(0);
});

test(
  `the heap after ${ORDERS} orders is as small as after half of them`,
  async () => {
    const as = (key?: string) => createCaller(baseUrl, key);
    const actors = { anyone: as(), admin: as(ADMIN_KEY), as };
    const agent = await newUnlimitedAgent(actors);
    const lp = await newLp(actors, { collateral: 10_000 });
    const done = async (n: number) => {
      const paid = await retryWhile503(() => pay(agent, {}, { 'idempotency-key': `memory-${n}` }));
      const id: number = paid.body.order_id;
      const whole = (n * COMPLETED) % ORDERS < COMPLETED;
      if (!whole) {
        const cancelled = await retryWhile503(() => agent.call('POST', `/api/v1/cancel/${id}`, {}));
        return expect(cancelled.status).toBe(200);
      }
      for (const step of [() => claim(lp, id), () => fiatSent(lp, id), () => confirm(agent, id)])
        expect(await retryWhile503(step)).toMatchObject({ status: 200 });
      const hash = await payment(actors, agent, id);
      expect(await retryWhile503(() => settleAgain(agent, id, hash))).toMatchObject({ status: 200 });
      await eventuallyEquals(() => statusOf(agent, id), 'completed');
    };

    const heaps: number[] = [];
    let next = 0;
    for (let part = 1; part <= PARTS; part++) {
      const until = (ORDERS * part) / PARTS;
      const some = async () => {
        while (next < until) await done(next++);
      };
      await Promise.all(Array.from({ length: TOGETHER }, some));
      heaps.push(await heapOf(corridor, part));
    }
    expect(await expectStatus(200, actors.anyone('GET', '/readyz'))).toMatchObject({ ready: true });
    const mostOf = (from: number, to: number) =>
      Math.max(...heaps.slice((from * PARTS) / 4, (to * PARTS) / 4));
    expect(mostOf(3, 4)).toBeLessThan(mostOf(1, 2) * (1 + GROWTH));
  },
  SCALED_TIMEOUT_MS,
);

/** Returns the heap bytes in use after a garbage collection. `nth` counts the calls. */
async function heapOf(process: TestProcess, nth: number): Promise<number> {
  process.kill('SIGUSR2');
  await process.prints(`heap ${nth} {`);
  const line = new RegExp(`^heap ${nth} (.*)$`, 'm');
  await eventuallyEquals(async () => line.test(process.stderr()), true);
  const { heapUsed, rss } = JSON.parse(line.exec(process.stderr())?.[1] ?? '{}');
  const mib = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  globalThis.process.stderr.write(`\ntests: heap ${mib(heapUsed)}, resident ${mib(rss)} in part ${nth}`);
  return heapUsed;
}
