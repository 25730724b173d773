import { setTimeout as delay } from 'node:timers/promises';
import type { Reply, RetriedReply } from '../dev/kept-http-client.ts';
import { type CpuMeter, cpuFor, createCpuMeter, idleCpu, sumOf } from './cpu-meter.ts';
import { percentile } from './figures.ts';
import { CLIENTS, rate, together } from './load.ts';
import type { BenchServers } from './servers.ts';
import { type BenchOrder, must, type Subject } from './subjects.ts';
import { startWebhookSink } from './webhook-sink.ts';

/** The amount of work in a round. */
export interface Size {
  /** Orders before the measured ones. */
  warmUp: number;
  /** Orders by one client. */
  alone: number;
  /** Claims by sixteen concurrent clients, of orders that go no further. */
  claims: number;
  /** Orders by sixteen concurrent clients, without and with webhooks, each. */
  together: number;
  /** Orders that take a second between their steps, all at the same time. */
  paced: number;
  /** Reads and lost claims, each. */
  reads: number;
}

/** The figures of one subject in one round, by measure. */
export type Figures = Record<keyof typeof MEASURES, number>;

/** CPU is that of the service, of Temporal and of PostgreSQL, without the clients. `isPart`: a part of the measure above. */
export const MEASURES = {
  claimAlone: { title: 'claim, one client, p50', unit: 'ms' },
  claimTogether: { title: `claim, ${CLIENTS} clients, p99`, unit: 'ms' },
  ordersPerSecond: { title: `whole orders, ${CLIENTS} clients`, unit: '/s' },
  cpuSaturated: { title: `CPU of an order, ${CLIENTS} clients`, unit: 'ms' },
  cpuService: { title: 'of which the service', unit: 'ms', isPart: true },
  cpuTemporal: { title: 'of which Temporal', unit: 'ms', isPart: true },
  cpuPostgres: { title: 'of which PostgreSQL', unit: 'ms', isPart: true },
  cpuPaced: { title: 'CPU of an order, a second between its steps', unit: 'ms' },
  withWebhooks: { title: `whole orders with webhooks, ${CLIENTS} clients`, unit: '/s' },
  lostClaims: { title: `lost claims (409), ${CLIENTS} clients`, unit: '/s' },
  statusReads: { title: `status reads, ${CLIENTS} clients`, unit: '/s' },
} as const;

/** Runs all measures on a subject that is otherwise idle. */
export async function measure(subject: Subject, servers: BenchServers, size: Size): Promise<Figures> {
  const meter = await createCpuMeter(subject.pid, servers);
  await warmUp(subject, size.warmUp);

  const alone: number[] = [];
  for (let n = 0; n < size.alone; n++) alone.push(await wholeOrder(subject));

  let ordersPerSecond = 0;
  const saturated = await cpuFor(meter, size.together, async () => {
    ordersPerSecond = await perSecond(size.together, () => wholeOrder(subject));
  });
  const withWebhooks = await ordersWithWebhooks(subject, size.together);
  const claimTogether = percentile(await claimsTogether(subject, size.claims), 99);

  const claimed = await subject.pay();
  must(200, await subject.claim(claimed, 0));
  return {
    claimAlone: percentile(alone, 50),
    claimTogether,
    ordersPerSecond,
    cpuSaturated: sumOf(saturated),
    cpuService: saturated.service,
    cpuTemporal: saturated.temporal,
    cpuPostgres: saturated.postgres,
    cpuPaced: await pacedCpu(subject, meter, size.paced),
    withWebhooks,
    lostClaims: await rate(size.reads, (n) => losing(subject, claimed, 1 + (n % (subject.lps - 1)))),
    statusReads: await rate(size.reads, async () => must(200, await subject.status(claimed))),
  };
}

/** Enough orders for `warmUp`: twenty connections, six calls each. */
export const WARM_UP_ORDERS = 10 * CLIENTS;

/**
 * Lets the service open its connections, compile its code and settle on plans: PostgreSQL plans a prepared statement again in each
 * of its first five calls on a connection.
 */
export const warmUp = (subject: Subject, orders: number): Promise<void> =>
  together(orders, () => wholeOrder(subject));

const losing = async (subject: Subject, order: BenchOrder, lp: number) =>
  must(409, await subject.claim(order, lp));

async function perSecond(count: number, work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await together(count, work);
  return (count * 1_000) / (performance.now() - began);
}

let nextLp = 0;
const anyLp = (subject: Subject): number => nextLp++ % subject.lps;

/** Milliseconds of each claim. Each client pays, claims, and goes on with the next order. */
async function claimsTogether(subject: Subject, count: number): Promise<number[]> {
  const claims: number[] = [];
  await together(count, async () => {
    const { ms } = requireDone(await subject.claim(await subject.pay(), anyLp(subject)));
    claims.push(ms);
  });
  return claims;
}

/** Orders per second until the last one's receiver knows that it is completed. */
async function ordersWithWebhooks(subject: Subject, count: number): Promise<number> {
  const sink = await startWebhookSink();
  const arrivals: Promise<void>[] = [];
  const began = performance.now();
  await together(count, async () => {
    const lp = anyLp(subject);
    const order = await subject.pay(sink.url);
    arrivals.push(sink.completed(order.id));
    await toCompletion(subject, order, lp);
  });
  await Promise.all(arrivals);
  const seconds = (performance.now() - began) / 1_000;
  await sink.stop();
  return count / seconds;
}

const IDLE_MS = 5_000;
const PAUSE_MS = 1_000;

/** Orders between people who take their time: a second between the steps, all at the same time. */
export async function pacedOrders(subject: Subject, count: number): Promise<void> {
  const order = async (n: number) => {
    await delay((n * PAUSE_MS) / count);
    await wholeOrder(subject, () => delay(PAUSE_MS));
  };
  await Promise.all(Array.from({ length: count }, (_, n) => order(n)));
}

/** The CPU of such an order, without what the idle service and servers use meanwhile. */
async function pacedCpu(subject: Subject, meter: CpuMeter, count: number): Promise<number> {
  const idlePerMs = await idleCpu(meter, IDLE_MS);
  const began = performance.now();
  const all = await cpuFor(meter, 1, () => pacedOrders(subject, count));
  return (sumOf(all) - idlePerMs * (performance.now() - began)) / count;
}

const noPause = async () => {};

/** Takes an order from its payment to completion. Returns the milliseconds that its claim took. */
export async function wholeOrder(subject: Subject, pause: () => Promise<void> = noPause): Promise<number> {
  const lp = anyLp(subject);
  const order = await subject.pay();
  await pause();
  return toCompletion(subject, order, lp, pause);
}

async function toCompletion(
  subject: Subject,
  order: BenchOrder,
  lp: number,
  pause: () => Promise<void> = noPause,
): Promise<number> {
  const { ms } = requireDone(await subject.claim(order, lp));
  await pause();
  requireDone(await subject.fiatSent(order, lp));
  await pause();
  requireDone(await subject.confirm(order));
  await pause();
  requireDone(await subject.settle(order, lp));
  await untilCompleted(subject, order);
  return ms;
}

/**
 * The bench is the only caller. So if a repeated call is refused, its first attempt succeeded. Corridor repeats its first
 * answer in that case; the others do not.
 */
export const requireDone = (reply: RetriedReply): Reply =>
  reply.repeated && reply.status === 409 ? reply : must(200, reply);

const POLL_EVERY_MS = 40;
const COMPLETED_WITHIN_MS = 60_000;

export async function untilCompleted(subject: Subject, order: BenchOrder): Promise<void> {
  const giveUpAt = performance.now() + COMPLETED_WITHIN_MS;
  for (;;) {
    const { body } = must(200, await subject.status(order));
    if (body.status === 'completed') return;
    if (performance.now() > giveUpAt)
      throw new Error(`${subject.name}: order ${order.id} is still ${body.status}`);
    await delay(POLL_EVERY_MS);
  }
}
