import { setTimeout as delay } from 'node:timers/promises';
import { callWithRetries, createHttpClient } from '../../dev/kept-http-client.ts';
import { openDatabase } from '../../src/db/orm.ts';
import { newLp, newUnlimitedAgent } from '../../test/support/actors.ts';
import { type BenchCorridor, startCorridorProcess } from '../corridor.ts';
import { createCpuMeter, idleCpu } from '../cpu-meter.ts';
import { spread } from '../figures.ts';
import { together } from '../load.ts';
import { must } from '../subjects.ts';
import type { Surroundings } from './part.ts';

export interface MemoryFigures {
  /** Live orders. */
  orders: number;
  /** Resident memory of API and worker in one process, MB: without orders, and with all of them. */
  before: number;
  resident: number;
  /** CPU of Corridor, Temporal and PostgreSQL while nothing happens: with all orders, without the idle CPU before, % of a core. */
  idleCpu: number;
}

/** The number of samples, one second apart, after the last order was created. */
const SAMPLES = 5;
/** Several rounds of the reconciler. */
const IDLE_MS = 30_000;
const MB = 1e6;

/** Creates many unclaimed orders, each with its workflow. */
export async function measureMemory({ servers, cleanup, size }: Surroundings): Promise<MemoryFigures> {
  // No order may expire before the last one is created.
  const corridor = await startCorridorProcess(servers, { CLAIM_TIMEOUT: '24h' });
  cleanup.add(corridor.process.stop);
  const http = createHttpClient(corridor.port);
  try {
    const agent = await newUnlimitedAgent(corridor.callers);
    await newLp(corridor.callers);
    const before = await residentMb(corridor);
    const meter = await createCpuMeter(corridor.process.pid, servers);
    const idleBefore = await idleCpu(meter, IDLE_MS);
    const body = { amount: 1_295, currency: 'KES', recipient: '+254700123456', user_id: agent.userId };
    const created = async () =>
      must(201, await callWithRetries(() => http.call('POST', '/api/v1/pay', agent.key, body)));
    await together(size.liveOrders, created);
    const samples: number[] = [];
    while (samples.length < SAMPLES) {
      await delay(1_000);
      samples.push(await residentMb(corridor));
    }
    const idle = (await idleCpu(meter, IDLE_MS)) - idleBefore;
    const orders = await liveOrders(corridor.databaseUrl);
    if (orders < size.liveOrders) throw new Error(`${orders} of ${size.liveOrders} orders are alive`);
    return { orders, before, resident: spread(samples).median, idleCpu: 100 * idle };
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
