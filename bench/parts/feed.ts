import { startApiProcess } from '../corridor.ts';
import { startProcess } from '../processes.ts';
import type { Request } from './committer.ts';
import { openMarket } from './market.ts';
import { inTurn, type Surroundings } from './part.ts';
import { openSockets } from './sockets.ts';

/** Commits a second. */
export interface FeedFigures {
  /** While an API process reads the feed for its sockets. */
  on: number;
  /** With the same process, and no sockets: then it does not read. */
  off: number;
}

const LPS = 16;
/** Two slices of each; whichever began the first two comes second in the others. */
const SLICES = 4;

/** What the steps' statements come to, with the feed at work and without. One socket for each LP. */
export async function measureFeed({ servers, ending, size, round }: Surroundings): Promise<FeedFigures> {
  const { databaseUrl, lps } = await openMarket(servers, LPS);
  const api = await startApiProcess(databaseUrl, servers.temporalAddress);
  ending.add(api.process.stop);
  const committer = await startProcess(
    ['bench/parts/committer.ts'],
    { DATABASE_URL: databaseUrl },
    /^ready$/m,
  );
  ending.add(committer.stop);
  const commit = (count: number) => {
    const request: Request = { kind: 'orders', count, lps: lps.map(({ id }) => id) };
    return committer.ask<number>(request);
  };
  const slices = {
    off: () => commit(size.feedOrders),
    on: async () => {
      let heard = 0;
      const paths = lps.map(({ key }) => `/ws/orders?lp_key=${key}`);
      const sockets = await openSockets(api.port, paths, /^{"type":"snapshot"/, () => {
        heard += 1;
      });
      const rate = await commit(size.feedOrders);
      // Everybody hears of each order that it is open and that it no longer is, its LP of each step besides.
      const owed = size.feedOrders * (2 * LPS + 5);
      await sockets.until(() => heard >= owed);
      await sockets.close();
      if (heard !== owed) throw new Error(`${heard} messages were heard of ${owed}`);
      return rate;
    },
  };
  try {
    await commit(size.feedOrders);
    const rates = { on: [] as number[], off: [] as number[] };
    for (let n = 0; n < SLICES / 2; n++)
      for (const side of inTurn(['on', 'off'] as const, round + n)) rates[side].push(await slices[side]());
    return { on: together(rates.on), off: together(rates.off) };
  } finally {
    await committer.stop();
    await api.process.stop();
  }
}

/** The rate of slices of the same size as a whole. */
const together = (rates: number[]): number =>
  rates.length / rates.reduce((seconds, rate) => seconds + 1 / rate, 0);
