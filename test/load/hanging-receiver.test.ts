import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { claim, fiatSent, newAgent, newLp, newOrder, type TestLp } from '../support/actors.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { eventuallyEquals } from '../support/eventually.ts';
import { SCALED_TIMEOUT_MS, scaled } from '../support/scale.ts';
import { served } from '../support/served.ts';

/** To each of the two receivers. */
const ORDERS = scaled({ short: 50, long: 400 });

let corridor: TestCorridor;
let hanging: Server;
let asked = 0;
beforeAll(async () => {
  corridor = await startCorridor();
  hanging = createServer(() => {
    asked += 1;
  });
  await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  // What hangs fails now, and its next attempts find nobody: the worker need not wait for them.
  hanging.close();
  hanging.closeAllConnections();
  await corridor.stop();
});

const many = (n: number, make: () => Promise<number>) => Promise.all(Array.from({ length: n }, make));
const taken = async (step: typeof claim, lp: TestLp, orderId: number) =>
  expect((await served(() => step(lp, orderId))).status).toBe(200);

test(
  `${ORDERS} webhooks that hang hold up none of the ${ORDERS} orders of another receiver`,
  async () => {
    const agent = await newAgent(corridor);
    const lp = await newLp(corridor, { collateral: 2 * ORDERS * 10 });
    const deaf = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/`;
    const good = await many(ORDERS, () => newOrder(agent, { callback_url: corridor.receiver.url }));
    const stuck = await many(ORDERS, () => newOrder(agent, { callback_url: deaf }));
    // Two webhooks each: they hang for a minute, three attempts of ten seconds each, one behind the other.
    await Promise.all(stuck.map((id) => taken(claim, lp, id)));
    await Promise.all(stuck.map((id) => taken(fiatSent, lp, id)));
    await eventuallyEquals(async () => asked >= ORDERS, true);

    await Promise.all(good.map((id) => taken(claim, lp, id)));
    const heard = () => new Set(corridor.receiver.received.map(({ body }) => body.order_id));
    await eventuallyEquals(async () => good.filter((id) => !heard().has(id)).length, 0);

    // Every one of the others still hangs: of the first webhook or of the one that waits behind it.
    const owing = await corridor.db.query<{ n: number }>(
      'hanging-owing',
      `select count(distinct order_id)::int as n from webhook_delivery where state = 'pending' and order_id = any($1)`,
      [stuck],
    );
    expect(owing).toEqual([{ n: ORDERS }]);
  },
  SCALED_TIMEOUT_MS,
);
