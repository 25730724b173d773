import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Agent, claim, newAgent, newLp, pay, type TestLp } from '../support/actors.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { type HangingReceiver, startHangingReceiver } from '../support/hanging-receiver.ts';
import { scaled } from '../support/scale.ts';
import { served } from '../support/served.ts';

/** The slots of Corridor's worker, and those of them that one agent may have. */
const [SLOTS, SHARE] = [500, 100];
/**
 * Orders whose webhooks hang, of several agents: together more than the slots, which they would have all to themselves
 * if each had not its share alone.
 */
const AGENTS = 4;
const STUCK_OF_EACH = 130;
const STUCK = AGENTS * STUCK_OF_EACH;
/** Orders of an agent whose receiver answers. */
const GOOD = scaled({ short: 50, long: 400 });
/** What hangs is as much in the short form: on a slow machine minutes go by until it does. */
const TIMEOUT_MS = scaled({ short: 900_000, long: 3_600_000 });
/** Claims that are under way together: to be many is the part of the webhooks here. */
const AT_ONCE = 50;

let corridor: TestCorridor;
let hanging: HangingReceiver;
beforeAll(async () => {
  corridor = await startCorridor();
  hanging = await startHangingReceiver();
});
afterAll(async () => {
  // What hangs fails now, and its next attempts find nobody: the worker need not wait for them.
  hanging.close();
  await corridor.stop();
});

const many = (n: number, make: () => Promise<number>) => Promise.all(Array.from({ length: n }, make));
/** So many at once are more than can always be served in time. */
const ordered = async (agent: Agent, callback_url: string): Promise<number> => {
  const headers = { 'idempotency-key': randomUUID() };
  const { status, body } = await served(() => pay(agent, { callback_url }, headers));
  expect([200, 201]).toContain(status);
  return body.order_id;
};
/** Does it for all of them, some at a time. */
async function inTurn(ids: number[], act: (id: number) => Promise<void>): Promise<void> {
  const left = [...ids];
  const next = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) await act(id);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}
const claimed = async (lp: TestLp, orderId: number) =>
  expect((await served(() => claim(lp, orderId))).status).toBe(200);
/** As often as it hangs, it is tried again: on a machine however slow there is an attempt under way. */
const neverGivenUp = (orderId: number) =>
  corridor.db.query(
    'hanging-for-ever',
    'update webhook_delivery set attempts_before = 1000000 where order_id = $1',
    [orderId],
  );

test(
  `${STUCK} webhooks that hang hold up none of the ${GOOD} orders of another receiver`,
  async () => {
    const lp = await newLp(corridor, { collateral: (STUCK + GOOD) * 10 });
    const agent = await newAgent(corridor);
    const good = await many(GOOD, () => ordered(agent, corridor.receiver.url));
    const stuck: number[] = [];
    for (let n = 0; n < AGENTS; n++) {
      const deaf = await newAgent(corridor);
      stuck.push(...(await many(STUCK_OF_EACH, () => ordered(deaf, hanging.url))));
    }
    expect(stuck.length).toBeGreaterThan(SLOTS);
    await inTurn(stuck, async (id) => {
      await claimed(lp, id);
      await neverGivenUp(id);
    });
    // Of more than one agent, however slowly a machine gives them out while the first ones run out of their time.
    await eventually(async () => hanging.waiting() > SHARE);

    await inTurn(good, (id) => claimed(lp, id));
    const heard = () => new Set(corridor.receiver.received.map(({ body }) => body.order_id));
    await eventuallyEquals(async () => good.filter((id) => !heard().has(id)).length, 0);

    // Every one of the others still hangs, and there were slots left to others all the time.
    await eventually(async () => hanging.waiting() > SHARE);
    expect(hanging.mostWaiting()).toBeLessThanOrEqual(AGENTS * SHARE);
    const owing = await corridor.db.query<{ n: number }>(
      'hanging-owing',
      `select count(*)::int as n from webhook_delivery where state = 'pending' and order_id = any($1)`,
      [stuck],
    );
    expect(owing).toEqual([{ n: STUCK }]);
  },
  TIMEOUT_MS,
);
