import { setTimeout as delay } from 'node:timers/promises';
import type { Cleanup } from '../../dev/cleanup.ts';
import { openDatabase } from '../../src/db/orm.ts';
import { checkInvariants } from '../../src/diagnosis/check-invariants.ts';
import type { Finding } from '../../src/diagnosis/finding.ts';
import { createLogger } from '../../src/process/log.ts';
import { createOrderGateway } from '../../src/temporal/gateway.ts';
import { waitUntilIdle } from '../support/idle.ts';
import { createRandom, type Random } from '../support/random.ts';
import { payFor } from './actions.ts';
import { createActors } from './actors.ts';
import { type CallLog, createCaller } from './caller.ts';
import { moveCollateral } from './collateral.ts';
import { type FaultOptions, minimumFaults, startFaults } from './faults.ts';
import type { Member } from './fleet.ts';
import { type Installation, startInstallation, withFaults } from './installation.ts';
import { automaticLifecycle, LIFECYCLES } from './lifecycles.ts';
import { unanswered, waitForOrderEnds } from './order-ends.ts';
import { brokenPromises } from './promises.ts';
import { readRecorded } from './recorded.ts';

export interface HarnessOptions extends FaultOptions {
  seed: number;
  orders: number;
  /** The number of parallel lifecycles. Most of a lifecycle waits for other parties, and under faults for a response. */
  concurrency: number;
  /** The longest duration of the faults. */
  maxDurationMs: number;
  /** Every order must end within this time after the faults have ended and its callers have made their last calls. */
  endWithinMs: number;
  folder: string;
  cleanup: Cleanup;
  say: (line: string) => void;
}

export interface HarnessReport {
  seed: number;
  orders: number;
  /** Orders by their final status. */
  ends: ReadonlyMap<string, number>;
  /** Payments that their agents gave up. */
  neverMade: number;
  faults: ReadonlyMap<string, number>;
  crashes: ReadonlyMap<string, number>;
  crashesByPart: Record<Member['part'], number>;
  /** The minimum for a run that proves something. */
  minimum: { faults: number; crashes: Record<Member['part'], number> };
  /** Exits of processes by reason. */
  exits: ReadonlyMap<string, number>;
  /** `made`: calls, each with one or more attempts. */
  calls: { made: number; attempts: number; good: number; failed: number };
  /** Calls without a response in time. Each ended its lifecycle. */
  gaveUp: number;
  webhooks: number;
  breaches: Finding[];
  stuck: string[];
  durationMs: number;
}

export async function runHarness(options: HarnessOptions): Promise<HarnessReport> {
  const { seed, orders, concurrency, maxDurationMs, maxFaults, density, endWithinMs, folder, cleanup, say } =
    options;
  const started = Date.now();
  // Each purpose has its own random choices, so that they are independent of the timing of the others.
  const randomFor = (purpose: number) => createRandom(seed * 1_000_003 + purpose);
  const installation = await startInstallation(folder, randomFor(1), cleanup, withFaults(density));
  const actors = await createActors(installation);
  const log: CallLog = [];
  const call = createCaller(installation.baseUrls, log);
  say(`seed ${seed}: all processes run after ${Math.round((Date.now() - started) / 1_000)} s`);

  const faults = startFaults(installation, [randomFor(2), randomFor(3)], { maxFaults, density });
  const endEarly = new AbortController();
  const lifecycles = runLifecycles();
  const completed = lifecycles.then(() => faults.first).finally(() => endEarly.abort());
  // `lifecycles` reports the error.
  completed.catch(() => undefined);
  // Aborted: all lifecycles have ended before, and there was at least one fault.
  await delay(maxDurationMs, undefined, { signal: endEarly.signal }).catch(() => undefined);
  await faults.end();
  const faultsEndedAt = Date.now();
  say('all faults have ended');
  await lifecycles;
  say('all lifecycles have ended; waiting for the orders');
  const stuck = [
    ...(await waitForOrderEnds(installation, call, randomFor(4), { log, faultsEndedAt, endWithinMs })),
    ...unanswered(log, { faultsEndedAt, endWithinMs }),
  ];
  // Otherwise the check would not compare the orders that moved last with their workflows.
  if (stuck.length === 0) await waitUntilIdle(installation.query);
  say('checking');
  const breaches = [
    ...(await invariants(installation, endWithinMs)),
    ...brokenPromises(log, await readRecorded(installation)),
    ...installation.members.flatMap(({ badExits }) => badExits),
  ];

  const ends = await installation.query<{ status: string; n: number }>(
    'select status, count(*)::int as n from orders group by 1 order by 1',
  );
  const answered = new Set(
    log.filter(({ status }) => status !== null && status !== 503).map(({ call }) => call),
  );
  return {
    ...{ seed, orders, stuck, breaches, faults: faults.counts },
    ends: new Map(ends.map(({ status, n }) => [status, n])),
    neverMade: orders - ends.reduce((made, { n }) => made + n, 0),
    exits: sum(installation.members.map(({ exits }) => exits)),
    crashes: sum(installation.members.map(({ crashes }) => crashes)),
    crashesByPart: { api: crashesOf('api'), worker: crashesOf('worker') },
    minimum: { faults: minimumFaults(options, maxDurationMs), crashes: certainCrashes() },
    calls: {
      made: new Set(log.map(({ call }) => call)).size,
      attempts: log.length,
      good: log.filter(({ status }) => status !== null && status < 300).length,
      failed: log.filter(({ status }) => status === null || status === 503).length,
    },
    gaveUp: new Set(log.map(({ call }) => call).filter((one) => !answered.has(one))).size,
    webhooks: installation.receiver.received.length,
    durationMs: Date.now() - started,
  };

  function crashesOf(part: Member['part']): number {
    const own = installation.members.filter((member) => member.part === part);
    return own.flatMap(({ crashes }) => [...crashes.values()]).reduce((all, n) => all + n, 0);
  }

  /** Each process certainly crashes at its crash point. At least one API and one worker reach it in every run. */
  function certainCrashes(): Record<Member['part'], number> {
    const each = density > 0 && orders > 0 ? 1 : 0;
    return { api: each, worker: each };
  }

  /** Runs `concurrency` lifecycles in parallel until every order is done. */
  async function runLifecycles(): Promise<void> {
    let next = 0;
    await Promise.all(
      Array.from({ length: concurrency }, async () => {
        while (next < orders) await runLifecycle(next++);
      }),
    );
  }

  async function runLifecycle(number: number): Promise<void> {
    const random: Random = randomFor(1_000 + number);
    const name = `${seed}-${number}`;
    if (random.chance(0.15)) await moveCollateral(name, random, actors, call);
    const automatic = random.chance(0.1);
    const actions = await payFor(name, random, actors, call, installation.callbackUrl, automatic);
    if (!actions) return;
    if (automatic) return automaticLifecycle(actions);
    await random.weighted(Object.values(LIFECYCLES), ({ weight }) => weight).run(actions);
  }
}

/** Rows and workflows have as much time to agree as orders have to end, because the faults have just ended. */
async function invariants(
  { databaseUrl, temporal, namespace }: Installation,
  agreeWithinMs: number,
): Promise<Finding[]> {
  const log = createLogger('silent');
  const db = await openDatabase({ url: databaseUrl(), poolSize: 2, debug: () => undefined });
  const gateway = createOrderGateway({ address: temporal.url().host, namespace, log });
  try {
    return await checkInvariants({ db, gateway, log, agreeWithinMs });
  } finally {
    await gateway.close();
    await db.close();
  }
}

function sum(all: ReadonlyMap<string, number>[]): Map<string, number> {
  const total = new Map<string, number>();
  for (const counts of all) for (const [name, n] of counts) total.set(name, (total.get(name) ?? 0) + n);
  return total;
}
