import { migrate } from '../../src/db/migrate.ts';
import { hashKey, newLpKey } from '../../src/http/access/keys.ts';
import { type Books, openBooks } from '../../test/support/books.ts';
import { newDatabase } from '../databases.ts';
import type { BenchServers } from '../servers.ts';

export interface MarketLp {
  id: number;
  key: string;
}

/** A new database with LPs that may open the feed. */
export interface Market {
  databaseUrl: string;
  lps: MarketLp[];
}

/** Creates LPs of all tiers, each with its own rate, so that every LP sees a different offer. */
export async function openMarket(
  { databaseUrl: maintenanceUrl }: BenchServers,
  count: number,
): Promise<Market> {
  const databaseUrl = await newDatabase(maintenanceUrl);
  await migrate({ url: databaseUrl, debug: () => undefined });
  const books = await openBooks(databaseUrl);
  try {
    const lps: MarketLp[] = [];
    while (lps.length < count) lps.push(await newMarketLp(books, lps.length));
    return { databaseUrl, lps };
  } finally {
    await books.db.close();
  }
}

async function newMarketLp(books: Books, n: number): Promise<MarketLp> {
  const id = await books.newLp({ tier: n % 5 });
  await books.deposit(id, '100000000');
  const key = newLpKey();
  await books.db.query('bench-lp-key', 'update lp set key_hash = $2 where id = $1', [id, hashKey(key)]);
  const rate = 'update lp_term set rate_usd = rate_usd + $2::int * 0.01 where lp_id = $1';
  await books.db.query('bench-lp-rate', rate, [id, n]);
  return { id, key };
}
