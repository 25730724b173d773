import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Agent, claim, newLp, newUnlimitedAgent, pay, type TestLp } from '../../support/actors.ts';
import { startCorridor, type TestCorridor } from '../../support/corridor.ts';
import { eventually, eventuallyEquals } from '../../support/eventually.ts';
import { type HangingReceiver, startHangingReceiver } from '../../support/hanging-receiver.ts';
import { retryWhile503 } from '../../support/retry-while-503.ts';
import { scaled } from '../../support/scale.ts';

/** The webhook slots of Corridor's worker, and the limit for one agent. */
const [SLOTS, SLOTS_PER_AGENT] = [500, 100];
/**
 * Several agents whose webhooks hang, each with more of them than one agent may have slots. In the long form they are
 * together more than there are slots, so that without the limit per agent they would occupy all of them.
 */
const AGENTS = scaled({ short: 2, long: 4 });
const STUCK_OF_EACH = 130;
const STUCK = AGENTS * STUCK_OF_EACH;
/** Orders of an agent whose receiver answers. */
const GOOD = scaled({ short: 20, long: 400 });
const TIMEOUT_MS = scaled({ short: 900_000, long: 3_600_000 });
/** Limited, because this test is about many concurrent webhooks, not claims. */
const PARALLEL_CLAIMS = 10;

let corridor: TestCorridor;
let hanging: HangingReceiver;
beforeAll(async () => {
  corridor = await startCorridor();
  hanging = await startHangingReceiver();
});
afterAll(async () => {
  // Hanging webhooks fail now, and later attempts find no server, so the worker does not wait for them.
  hanging.close();
  await corridor.stop();
});

const many = (n: number, make: () => Promise<number>) => Promise.all(Array.from({ length: n }, make));
/** Retries after a 503, because this many concurrent payments exceed the pool. */
const ordered = async (agent: Agent, callback_url: string): Promise<number> => {
  const headers = { 'idempotency-key': randomUUID() };
  const { status, body } = await retryWhile503(() => pay(agent, { callback_url }, headers));
  expect([200, 201]).toContain(status);
  return body.order_id;
};
/** Calls `work` for each order, a limited number at a time. */
async function forEachOrder(ids: number[], work: (id: number) => Promise<void>): Promise<void> {
  const left = [...ids];
  const next = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) await work(id);
  };
  await Promise.all(Array.from({ length: PARALLEL_CLAIMS }, next));
}
const claimed = async (lp: TestLp, orderId: number) =>
  expect((await retryWhile503(() => claim(lp, orderId))).status).toBe(200);
/** Lets the webhook retry without end, so that an attempt is always in flight even on a slow machine. */
const retryForEver = (orderId: number) =>
  corridor.db.query(
    'hanging-for-ever',
    'update webhook_delivery set attempts_before = 1000 where order_id = $1',
    [orderId],
  );

test(
  `${STUCK} hanging webhooks delay none of the ${GOOD} orders of another receiver`,
  async () => {
    const lp = await newLp(corridor, { collateral: (STUCK + GOOD) * 10 });
    const agent = await newUnlimitedAgent(corridor);
    const good = await many(GOOD, () => ordered(agent, corridor.receiver.url));
    const stuck: number[] = [];
    for (let n = 0; n < AGENTS; n++) {
      const deaf = await newUnlimitedAgent(corridor);
      stuck.push(...(await many(STUCK_OF_EACH, () => ordered(deaf, hanging.url))));
    }
    expect(stuck.length).toBeGreaterThan(scaled({ short: AGENTS * SLOTS_PER_AGENT, long: SLOTS }));
    await forEachOrder(stuck, async (id) => {
      await claimed(lp, id);
      await retryForEver(id);
    });
    // More than one agent's limit: even on a slow machine the webhooks of several agents hang.
    await eventually(async () => hanging.waiting() > SLOTS_PER_AGENT);

    await forEachOrder(good, (id) => claimed(lp, id));
    const receivedIds = () => new Set(corridor.receiver.received.map(({ body }) => body.order_id));
    await eventuallyEquals(async () => good.filter((id) => !receivedIds().has(id)).length, 0);

    // The webhooks of the other agents still hang, and they never occupied all slots.
    await eventually(async () => hanging.waiting() > SLOTS_PER_AGENT);
    expect(hanging.mostWaiting()).toBeLessThanOrEqual(AGENTS * SLOTS_PER_AGENT);
    const owing = await corridor.db.query<{ n: number }>(
      'hanging-owing',
      `select count(*)::int as n from webhook_delivery where state = 'pending' and order_id = any($1)`,
      [stuck],
    );
    expect(owing).toEqual([{ n: STUCK }]);
  },
  TIMEOUT_MS,
);
