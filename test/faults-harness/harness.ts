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
import { createCaller, type SawLog } from './caller.ts';
import { moveCollateral } from './collateral.ts';
import { type FaultOptions, leastFaults, startFaults } from './faults.ts';
import type { Member } from './fleet.ts';
import { type Installation, startInstallation, underFaults } from './installation.ts';
import { automaticLifecycle, LIFECYCLES } from './lifecycles.ts';
import { unanswered, untilAtRest } from './order-ends.ts';
import { brokenPromises } from './promises.ts';
import { readRecorded } from './recorded.ts';

export interface HarnessOptions extends FaultOptions {
  seed: number;
  orders: number;
  /** Lifecycles at the same time; most of a lifecycle is waiting for others, and under faults for an answer. */
  concurrency: number;
  /** Faults strike for no longer than this. */
  longestMs: number;
  /** When the faults are over, and its callers have taken their last steps, every order comes to its end within this. */
  restWithinMs: number;
  folder: string;
  cleanup: Cleanup;
  say: (line: string) => void;
}

export interface HarnessReport {
  seed: number;
  orders: number;
  /** Orders by the status that they ended in. */
  ends: ReadonlyMap<string, number>;
  /** Orders that their agents gave up before there was one. */
  neverMade: number;
  faults: ReadonlyMap<string, number>;
  crashes: ReadonlyMap<string, number>;
  /** Deaths at crash points by the part that died. */
  deaths: Record<Member['part'], number>;
  /** What must have struck by what was asked for, so that there is something to prove. */
  least: { faults: number; deaths: Record<Member['part'], number> };
  /** Ends of processes, by their reason. */
  exits: ReadonlyMap<string, number>;
  /** `made`: calls, each of one attempt or many. */
  calls: { made: number; attempts: number; good: number; failed: number };
  /** Calls that were not answered in time; the lifecycles that they were of ended with them. */
  gaveUp: number;
  webhooks: number;
  breaches: Finding[];
  stuck: string[];
  durationMs: number;
}

export async function runHarness(options: HarnessOptions): Promise<HarnessReport> {
  const { seed, orders, concurrency, longestMs, mostFaults, density, restWithinMs, folder, cleanup, say } =
    options;
  const started = Date.now();
  // Each has choices of its own, so that they are the same however the others' fall in time.
  const randomFor = (purpose: number) => createRandom(seed * 1_000_003 + purpose);
  const installation = await startInstallation(folder, randomFor(1), cleanup, underFaults(density));
  const actors = await createActors(installation);
  const log: SawLog = [];
  const call = createCaller(installation.baseUrls, log);
  say(`seed ${seed}: everything is up after ${Math.round((Date.now() - started) / 1_000)} s`);

  const faults = startFaults(installation, [randomFor(2), randomFor(3)], { mostFaults, density });
  const timeIsUp = new AbortController();
  const living = liveAll();
  const lived = living.then(() => faults.first).finally(() => timeIsUp.abort());
  // `living` tells of it.
  lived.catch(() => undefined);
  // Aborted: all have lived before the time was up, and a fault has struck.
  await delay(longestMs, undefined, { signal: timeIsUp.signal }).catch(() => undefined);
  await faults.end();
  const mendedAt = Date.now();
  say('all faults are over');
  await living;
  say('all have done their part; waiting for rest');
  const stuck = [
    ...(await untilAtRest(installation, call, randomFor(4), { log, mendedAt, restWithinMs })),
    ...unanswered(log, { mendedAt, restWithinMs }),
  ];
  // Else the orders that moved last would not be compared with their workflows.
  if (stuck.length === 0) await waitUntilIdle(installation.query);
  say('checking');
  const breaches = [
    ...(await invariants(installation, restWithinMs)),
    ...brokenPromises(log, await readRecorded(installation)),
    ...installation.members.flatMap(({ badExits }) => badExits),
  ];

  const ends = await installation.query<{ status: string; n: number }>(
    'select status, count(*)::int as n from orders group by 1 order by 1',
  );
  const answered = new Set(
    log.filter(({ status }) => status !== null && status !== 503).map((saw) => saw.call),
  );
  return {
    ...{ seed, orders, stuck, breaches, faults: faults.counts },
    ends: new Map(ends.map(({ status, n }) => [status, n])),
    neverMade: orders - ends.reduce((made, { n }) => made + n, 0),
    exits: sum(installation.members.map(({ exits }) => exits)),
    crashes: sum(installation.members.map(({ crashes }) => crashes)),
    deaths: { api: deathsOf('api'), worker: deathsOf('worker') },
    least: { faults: leastFaults(options, longestMs), deaths: sureDeaths() },
    calls: {
      made: new Set(log.map((saw) => saw.call)).size,
      attempts: log.length,
      good: log.filter(({ status }) => status !== null && status < 300).length,
      failed: log.filter(({ status }) => status === null || status === 503).length,
    },
    gaveUp: new Set(log.map((saw) => saw.call).filter((one) => !answered.has(one))).size,
    webhooks: installation.receiver.received.length,
    durationMs: Date.now() - started,
  };

  function deathsOf(part: Member['part']): number {
    const own = installation.members.filter((member) => member.part === part);
    return own.flatMap(({ crashes }) => [...crashes.values()]).reduce((all, n) => all + n, 0);
  }

  /** Each process is armed to die once for sure; one of a kind comes to its place whatever callers choose. */
  function sureDeaths(): Record<Member['part'], number> {
    const each = density > 0 && orders > 0 ? 1 : 0;
    return { api: each, worker: each };
  }

  /** So many lifecycles at once, one after the other, until all orders have had theirs. */
  async function liveAll(): Promise<void> {
    let next = 0;
    await Promise.all(
      Array.from({ length: concurrency }, async () => {
        while (next < orders) await live(next++);
      }),
    );
  }

  async function live(number: number): Promise<void> {
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

/** Rows and workflows are given as long as the orders are: the machine has just had its storm. */
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
