import { startApiProcess } from '../corridor.ts';
import { startProcess } from '../processes.ts';
import type { Request } from './committer.ts';
import { openMarket } from './market.ts';
import { inTurn, type Surroundings } from './part.ts';
import { openSockets } from './sockets.ts';

/** Commits per second. */
export interface FeedFigures {
  /** While an API process reads the feed for its sockets. */
  on: number;
  /** With the same process without sockets, when it does not read. */
  off: number;
}

const LPS = 16;
/** Two batches with the feed and two without. The side that is first in the first pair is second in the other. */
const BATCHES = 4;

/** Measures the commit rate of the steps with the feed and without it. One socket per LP. */
export async function measureFeed({ servers, cleanup, size, round }: Surroundings): Promise<FeedFigures> {
  const { databaseUrl, lps } = await openMarket(servers, LPS);
  const api = await startApiProcess(databaseUrl, servers.temporalAddress);
  cleanup.add(api.process.stop);
  const committer = await startProcess(
    ['bench/parts/committer.ts'],
    { DATABASE_URL: databaseUrl },
    /^ready$/m,
  );
  cleanup.add(committer.stop);
  const commit = (count: number) => {
    const request: Request = { kind: 'orders', count, lps: lps.map(({ id }) => id) };
    return committer.ask<number>(request);
  };
  const batches = {
    off: () => commit(size.feedOrders),
    on: async () => {
      let received = 0;
      const paths = lps.map(({ key }) => `/ws/orders?lp_key=${key}`);
      const sockets = await openSockets(api.port, paths, /^{"type":"snapshot"/, () => {
        received += 1;
      });
      const rate = await commit(size.feedOrders);
      // Every LP receives two messages per order (open, no longer open). The order's LP also receives one per step.
      const owed = size.feedOrders * (2 * LPS + 5);
      await sockets.until(() => received >= owed);
      await sockets.close();
      if (received !== owed) throw new Error(`The sockets received ${received} of ${owed} messages`);
      return rate;
    },
  };
  try {
    await commit(size.feedOrders);
    const rates = { on: [] as number[], off: [] as number[] };
    for (let n = 0; n < BATCHES / 2; n++)
      for (const side of inTurn(['on', 'off'] as const, round + n)) rates[side].push(await batches[side]());
    return { on: together(rates.on), off: together(rates.off) };
  } finally {
    await committer.stop();
    await api.process.stop();
  }
}

/** The combined rate of batches of the same size. */
const together = (rates: number[]): number =>
  rates.length / rates.reduce((seconds, rate) => seconds + 1 / rate, 0);
