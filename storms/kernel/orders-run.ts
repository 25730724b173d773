import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase } from '../../src/db/orm.ts';
import { checkInvariants } from '../../src/operations/diagnosis/check-invariants.ts';
import type { Finding } from '../../src/operations/diagnosis/finding.ts';
import { createLogger } from '../../src/process/log.ts';
import { createOrderGateway } from '../../src/temporal/gateway.ts';
import { waitUntilIdle } from '../../test/support/idle.ts';
import { createRandom, type Random } from '../../test/support/random.ts';
import { payFor } from './actions.ts';
import { createActors } from './actors.ts';
import { type CallLog, createCaller } from './caller.ts';
import { moveCollateral } from './collateral.ts';
import { automaticLifecycle, LIFECYCLES } from './lifecycles.ts';
import { unanswered, waitForOrderEnds } from './order-ends.ts';
import { brokenPromises } from './promises.ts';
import { readRecorded } from './recorded.ts';
import type { Service } from './service.ts';

export interface OrdersOptions {
  seed: number;
  orders: number;
  /** The number of parallel lifecycles. Most of a lifecycle waits for other parties, and under faults for a response. */
  concurrency: number;
  /** Every order must end within this time after the faults have ended and its callers have made their last calls. */
  endWithinMs: number;
  say: (line: string) => void;
}

export interface OrdersReport {
  seed: number;
  orders: number;
  /** Orders by their final status. */
  ends: ReadonlyMap<string, number>;
  /** Payments that their agents gave up. */
  neverMade: number;
  /** `made`: calls, each with one or more attempts. */
  calls: { made: number; attempts: number; good: number; failed: number };
  /** Calls without a response in time. Each ended its lifecycle. */
  gaveUp: number;
  webhooks: number;
  breaches: Finding[];
  stuck: string[];
  durationMs: number;
}

/** What happens to the service while orders run. */
export interface Disturbance {
  /** Resolves when it has disturbed enough for the run to prove something. */
  first: Promise<unknown>;
  /** Whether the run needs another order, although it has had as many as its options ask for. */
  needsMore?: () => boolean;
  /** Ends the disturbance. Everything runs again when it resolves. */
  end: () => Promise<void>;
  /** It ends after this time, even if lifecycles still run. */
  maxDurationMs: number;
}

/**
 * Runs the lifecycles of orders on a service while it is disturbed, and checks at the end that every order has ended and that
 * what was promised to callers is recorded.
 */
export async function runOrders(
  service: Service,
  { seed, orders, concurrency, endWithinMs, say }: OrdersOptions,
  disturb: (randomFor: (purpose: number) => Random) => Disturbance,
): Promise<OrdersReport> {
  const started = Date.now();
  // Each purpose has its own random choices, so that they are independent of the timing of the others.
  const randomFor = (purpose: number) => createRandom(seed * 1_000_003 + purpose);
  const actors = await createActors(service);
  const log: CallLog = [];
  const call = createCaller(service.baseUrls, log);

  const disturbance = disturb(randomFor);
  const endEarly = new AbortController();
  let begun = 0;
  const lifecycles = runLifecycles();
  const completed = lifecycles.then(() => disturbance.first).finally(() => endEarly.abort());
  // `lifecycles` and `disturbance.end` report the error.
  completed.catch(() => undefined);
  // Aborted: all lifecycles have ended before, and there was at least one fault.
  await delay(disturbance.maxDurationMs, undefined, { signal: endEarly.signal }).catch(() => undefined);
  await disturbance.end();
  const faultsEndedAt = Date.now();
  say('all faults have ended');
  await lifecycles;
  say('all lifecycles have ended; waiting for the orders');
  const stuck = [
    ...(await waitForOrderEnds(service, call, randomFor(4), { log, faultsEndedAt, endWithinMs })),
    ...unanswered(log, { faultsEndedAt, endWithinMs }),
  ];
  // Otherwise the check would not compare the orders that moved last with their workflows.
  if (stuck.length === 0) await waitUntilIdle(service.query);
  say('checking');
  const breaches = [
    ...(await invariants(service, endWithinMs)),
    ...brokenPromises(log, await readRecorded(service)),
  ];

  const ends = await service.query<{ status: string; n: number }>(
    'select status, count(*)::int as n from orders group by 1 order by 1',
  );
  const answered = new Set(
    log.filter(({ status }) => status !== null && status !== 503).map(({ call }) => call),
  );
  return {
    ...{ seed, orders: begun, stuck, breaches },
    ends: new Map(ends.map(({ status, n }) => [status, n])),
    neverMade: begun - ends.reduce((made, { n }) => made + n, 0),
    calls: {
      made: new Set(log.map(({ call }) => call)).size,
      attempts: log.length,
      good: log.filter(({ status }) => status !== null && status < 300).length,
      failed: log.filter(({ status }) => status === null || status === 503).length,
    },
    gaveUp: new Set(log.map(({ call }) => call).filter((one) => !answered.has(one))).size,
    webhooks: service.receiver.received.length,
    durationMs: Date.now() - started,
  };

  /** Runs `concurrency` lifecycles in parallel until every order is done. */
  async function runLifecycles(): Promise<void> {
    await Promise.all(
      Array.from({ length: concurrency }, async () => {
        while (begun < orders || disturbance.needsMore?.()) await runLifecycle(begun++);
      }),
    );
  }

  async function runLifecycle(number: number): Promise<void> {
    const random: Random = randomFor(1_000 + number);
    const name = `${seed}-${number}`;
    if (random.chance(0.15)) await moveCollateral(name, random, actors, call);
    const automatic = random.chance(0.1);
    const actions = await payFor(name, random, actors, call, service.callbackUrl, automatic);
    if (!actions) return;
    if (automatic) return automaticLifecycle(actions);
    await random.weighted(Object.values(LIFECYCLES), ({ weight }) => weight).run(actions);
  }
}

/** Rows and workflows have as much time to agree as orders have to end, because the faults have just ended. */
async function invariants(
  { databaseUrl, temporalAddress, namespace }: Service,
  agreeWithinMs: number,
): Promise<Finding[]> {
  const log = createLogger('silent');
  const db = await openDatabase({ url: databaseUrl(), poolSize: 2, debug: () => undefined });
  const gateway = createOrderGateway({ address: temporalAddress(), namespace, log });
  try {
    return await checkInvariants({ db, gateway, log, agreeWithinMs });
  } finally {
    await gateway.close();
    await db.close();
  }
}
