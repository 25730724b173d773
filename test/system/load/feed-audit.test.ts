import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  type Agent,
  cancel,
  claim,
  newLp,
  newOrder,
  newUnlimitedAgent,
  type TestLp,
} from '../../support/actors.ts';
import { startCorridor, type TestCorridor } from '../../support/corridor.ts';
import { freshDatabase } from '../../support/database.ts';
import { eventuallyEquals } from '../../support/eventually.ts';
import { type Follower, follow } from '../../support/feed-follower.ts';
import { createRandom, newSeedFrom } from '../../support/random.ts';
import { retryWhile503 } from '../../support/retry-while-503.ts';
import { SCALED_TIMEOUT_MS, scaled } from '../../support/scale.ts';

/** The seed repeats the actions. After which message a connection breaks also depends on timing. */
const SEED = newSeedFrom('FEED_SEED');
const CLIENTS = scaled({ short: 60, long: 2_000 });
const LPS = scaled({ short: 6, long: 10 });
const ORDERS = scaled({ short: 40, long: 200 });
/** The number of concurrent orders, and the number of clients that are cut off for each order. */
const TOGETHER = 4;
const CUTS = scaled({ short: 4, long: 50 });
/** The API frees a connection slot some time after the connection has ended, hence the high limit. */
const env = {
  TEMPORAL_NAMESPACE: 'test-feed-audit',
  WS_MAX_CONNECTIONS: String(Math.min(1_000, (CLIENTS / LPS) * 3)),
};

/** Two APIs on one database. The clients follow one, which restarts; the other takes the payments. */
let followed: TestCorridor;
let paying: TestCorridor;
let agent: Agent;
let lps: TestLp[];
const followers: Follower[] = [];
beforeAll(async () => {
  process.stderr.write(`\ntests: the seed of the feed's audit is ${SEED} (FEED_SEED=${SEED} repeats it)`);
  const databaseUrl = await freshDatabase();
  paying = await startCorridor({ databaseUrl, env });
  followed = await startCorridor({ databaseUrl, env, worker: false });
  agent = await newUnlimitedAgent(paying);
  lps = await Promise.all(Array.from({ length: LPS }, () => newLp(paying, { collateral: ORDERS * 10 })));
}, SCALED_TIMEOUT_MS);
afterAll(async () => {
  await Promise.all(followers.map((follower) => follower.stop()));
  await followed.stop();
  await paying.stop();
});

/** The changes that each LP must receive, computed from all events in the feed's order. */
async function expected(): Promise<Map<number, string[]>> {
  const events = await paying.db.query<{ id: number; status: string; lp_id: number }>(
    'audit-events',
    `select order_id as id, status, (snapshot ->> 'lp_id')::bigint as lp_id from order_event
     order by xid, order_id, seq`,
    [],
  );
  const changesFor = (lpId: number) =>
    events.flatMap(({ id, status, lp_id }) => {
      if (status === 'matched') return `order.open ${id} matched`;
      const closed = `order.closed ${id} ${status}`;
      return status === 'claimed' && lp_id === lpId ? [closed, `order.updated ${id} claimed`] : closed;
    });
  return new Map(lps.map(({ id }) => [id, changesFor(id)]));
}

test(
  `${CLIENTS} clients that are cut off at random receive every change exactly once (FEED_SEED=${SEED})`,
  async () => {
    const random = createRandom(SEED);
    const { publicUrl } = followed.config;
    for (let i = 0; i < CLIENTS; i += 50) {
      const batch = Array.from({ length: Math.min(50, CLIENTS - i) }, (_, n) => lps[(i + n) % LPS] as TestLp);
      followers.push(
        ...(await Promise.all(batch.map((lp, n) => follow(publicUrl, lp, createRandom(SEED + i + n))))),
      );
    }

    let left = ORDERS;
    const live = async () => {
      while (left-- > 0) {
        const orderId = await newOrder(agent);
        for (let cut = 0; cut < CUTS; cut++) random.pick(followers).cut();
        const lp = random.pick(lps);
        const action = random.chance(0.7) ? () => claim(lp, orderId) : () => cancel(agent, orderId);
        expect((await retryWhile503(action)).status).toBe(200);
      }
    };
    const restart = async () => {
      await eventuallyEquals(async () => left <= ORDERS / 2, true, SCALED_TIMEOUT_MS);
      await followed.stopApi();
      await followed.startApi();
    };
    await Promise.all([...Array.from({ length: TOGETHER }, live), restart()]);

    const wanted = await expected();
    const behind = () =>
      followers.filter(
        ({ lpId, receivedChanges }) => receivedChanges().length < (wanted.get(lpId)?.length ?? 0),
      ).length;
    await eventuallyEquals(async () => behind(), 0, SCALED_TIMEOUT_MS / 3);
    for (const { lpId, receivedChanges } of followers) expect(receivedChanges()).toEqual(wanted.get(lpId));
    // The restart has cut off every client at least once.
    const connections = followers.map((follower) => follower.connections());
    expect(Math.min(...connections)).toBeGreaterThan(1);
  },
  SCALED_TIMEOUT_MS,
);
