import type { Cleanup } from '../../dev/cleanup.ts';
import { createRandom } from '../../test/support/random.ts';
import { type OrdersOptions, type OrdersReport, runOrders } from '../kernel/orders-run.ts';
import { type FaultOptions, minimumFaults, startFaults } from './faults.ts';
import type { Member } from './fleet.ts';
import { startInstallation, withFaults } from './installation.ts';

export interface HarnessOptions extends FaultOptions, OrdersOptions {
  /** The longest duration of the faults. */
  maxDurationMs: number;
  folder: string;
  cleanup: Cleanup;
}

export interface HarnessReport extends OrdersReport {
  faults: ReadonlyMap<string, number>;
  crashes: ReadonlyMap<string, number>;
  crashesByPart: Record<Member['part'], number>;
  /** The minimum for a run that proves something. */
  minimum: { faults: number; crashes: Record<Member['part'], number> };
  /** Exits of processes by reason. */
  exits: ReadonlyMap<string, number>;
}

/** Runs orders on an installation of its own, while faults happen to it. */
export async function runHarness(options: HarnessOptions): Promise<HarnessReport> {
  const { seed, orders, maxDurationMs, maxFaults, density, folder, cleanup, say } = options;
  const started = Date.now();
  const installation = await startInstallation(
    folder,
    createRandom(seed * 1_000_003 + 1),
    cleanup,
    withFaults(density),
  );
  const { members } = installation;
  say(`seed ${seed}: all processes run after ${Math.round((Date.now() - started) / 1_000)} s`);
  let counts: HarnessReport['faults'] = new Map();
  const report = await runOrders(installation, options, (randomFor) => {
    const faults = startFaults(installation, [randomFor(2), randomFor(3)], { maxFaults, density });
    counts = faults.counts;
    return { ...faults, maxDurationMs };
  });
  return {
    ...report,
    breaches: [...report.breaches, ...members.flatMap(({ badExits }) => badExits)],
    faults: counts,
    exits: sum(members.map(({ exits }) => exits)),
    crashes: sum(members.map(({ crashes }) => crashes)),
    crashesByPart: { api: crashesOf('api'), worker: crashesOf('worker') },
    minimum: { faults: minimumFaults(options, maxDurationMs), crashes: certainCrashes() },
    durationMs: Date.now() - started,
  };

  function crashesOf(part: Member['part']): number {
    const own = members.filter((member) => member.part === part);
    return own.flatMap(({ crashes }) => [...crashes.values()]).reduce((all, n) => all + n, 0);
  }

  /** Each process certainly crashes at its crash point. At least one API and one worker reach it in every run. */
  function certainCrashes(): Record<Member['part'], number> {
    const each = density > 0 && orders > 0 ? 1 : 0;
    return { api: each, worker: each };
  }
}

function sum(all: ReadonlyMap<string, number>[]): Map<string, number> {
  const total = new Map<string, number>();
  for (const counts of all) for (const [name, n] of counts) total.set(name, (total.get(name) ?? 0) + n);
  return total;
}
