import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase } from '../../src/db/orm.ts';
import { newAgent, newLp } from '../../test/support/actors.ts';
import { type BenchCorridor, startCorridorProcess } from '../corridor.ts';
import { spread } from '../figures.ts';
import { createHttpClient, patiently } from '../http.ts';
import { together } from '../load.ts';
import { must } from '../subjects.ts';
import type { Surroundings } from './part.ts';

export interface MemoryFigures {
  /** Orders that are alive. */
  orders: number;
  /** Resident memory of API and worker in one process, MB: before there was an order, and with all of them. */
  before: number;
  resident: number;
}

/** Looked at so often, a second after the other, when the last order has been created. */
const LOOKS = 5;
const MB = 1e6;

/** Many orders that wait to be claimed, each with its workflow. */
export async function measureMemory({ servers, ending, size }: Surroundings): Promise<MemoryFigures> {
  // Nothing may end while the orders are being created, however long that takes.
  const corridor = await startCorridorProcess(servers, { CLAIM_TIMEOUT: '24h' });
  ending.add(corridor.process.stop);
  const http = createHttpClient(corridor.port);
  try {
    const agent = await newAgent(corridor.actors);
    await newLp(corridor.actors);
    const before = await residentMb(corridor);
    const body = { amount: 1_295, currency: 'KES', recipient: '+254700123456', user_id: agent.userId };
    const created = async () =>
      must(201, await patiently(() => http.call('POST', '/api/v1/pay', agent.key, body)));
    await together(size.liveOrders, created);
    const looks: number[] = [];
    while (looks.length < LOOKS) {
      await delay(1_000);
      looks.push(await residentMb(corridor));
    }
    const orders = await liveOrders(corridor.databaseUrl);
    if (orders < size.liveOrders) throw new Error(`${orders} of ${size.liveOrders} orders are alive`);
    return { orders, before, resident: spread(looks).median };
  } finally {
    http.close();
    await corridor.process.stop();
  }
}

const residentMb = async ({ usage }: Pick<BenchCorridor, 'usage'>): Promise<number> =>
  (await usage()).resident / MB;

async function liveOrders(url: string): Promise<number> {
  const db = await openDatabase({ url, debug: () => undefined });
  try {
    const sql = `select count(*) as live from orders where status = 'matched'`;
    const [row] = await db.query<{ live: number }>('bench-live', sql, []);
    return row?.live ?? 0;
  } finally {
    await db.close();
  }
}
