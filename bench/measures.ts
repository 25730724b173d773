import { setTimeout as delay } from 'node:timers/promises';
import type { Reply, RetriedReply } from '../dev/kept-http-client.ts';
import { percentile } from './figures.ts';
import { CLIENTS, rate, together } from './load.ts';
import { type BenchOrder, must, type Subject } from './subjects.ts';

/** The amount of work in a round. */
export interface Size {
  /** Orders by one client. */
  alone: number;
  /** Orders by sixteen concurrent clients. */
  together: number;
  /** Reads and lost claims, each. */
  reads: number;
}

/** The figures of one subject in one round, by measure. */
export type Figures = Record<keyof typeof MEASURES, number>;

export const MEASURES = {
  claimAlone: { title: 'claim, one client, p50', unit: 'ms' },
  claimTogether: { title: `claim, ${CLIENTS} clients, p99`, unit: 'ms' },
  ordersPerSecond: { title: `whole orders, ${CLIENTS} clients`, unit: '/s' },
  lostClaims: { title: `lost claims (409), ${CLIENTS} clients`, unit: '/s' },
  statusReads: { title: `status reads, ${CLIENTS} clients`, unit: '/s' },
} as const;

/** Runs all measures on a subject that is otherwise idle. */
export async function measure(subject: Subject, size: Size): Promise<Figures> {
  // Warm-up: compiles code, makes query plans and opens connections.
  await together(CLIENTS, () => wholeOrder(subject));

  const alone: number[] = [];
  for (let n = 0; n < size.alone; n++) alone.push(await wholeOrder(subject));

  const claims: number[] = [];
  const began = performance.now();
  await together(size.together, async () => void claims.push(await wholeOrder(subject)));
  const seconds = (performance.now() - began) / 1_000;

  const claimed = await subject.pay();
  must(200, await subject.claim(claimed, 0));
  return {
    claimAlone: percentile(alone, 50),
    claimTogether: percentile(claims, 99),
    ordersPerSecond: size.together / seconds,
    lostClaims: await rate(size.reads, (n) => losing(subject, claimed, 1 + (n % (subject.lps - 1)))),
    statusReads: await rate(size.reads, async () => must(200, await subject.status(claimed))),
  };
}

const losing = async (subject: Subject, order: BenchOrder, lp: number) =>
  must(409, await subject.claim(order, lp));

let nextLp = 0;

/** Takes an order from its payment to completion. Returns the milliseconds that its claim took. */
async function wholeOrder(subject: Subject): Promise<number> {
  const lp = nextLp++ % subject.lps;
  const order = await subject.pay();
  const { ms } = requireDone(await subject.claim(order, lp));
  requireDone(await subject.fiatSent(order, lp));
  requireDone(await subject.confirm(order));
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

async function untilCompleted(subject: Subject, order: BenchOrder): Promise<void> {
  const giveUpAt = performance.now() + COMPLETED_WITHIN_MS;
  for (;;) {
    const { body } = must(200, await subject.status(order));
    if (body.status === 'completed') return;
    if (performance.now() > giveUpAt)
      throw new Error(`${subject.name}: order ${order.id} is still ${body.status}`);
    await delay(POLL_EVERY_MS);
  }
}
