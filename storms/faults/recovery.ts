import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createProgram } from '../../dev/cleanup.ts';
import type { CrashPoint } from '../../src/process/crash-point.ts';
import { createRandom } from '../../test/support/random.ts';
import { createActors } from '../kernel/actors.ts';
import { startInstallation } from './installation.ts';
import { createWorkerDeaths, type Recovery } from './worker-deaths.ts';

const USAGE = `usage: npm run measure:recovery -- [--rounds N] [--keep]

Kills workers that carry orders with SIGKILL, and measures how soon the orders continue on the other worker. Prints
whether each goal was met. A missed goal is not a failure. A wrong order is.
  --rounds  the number of rounds (20), at least 4; each kills a worker between two steps, and one during a step
  --keep    keep the data and the logs`;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
});

/** The goals. */
const GOALS = {
  nextStep: { what: 'the next step after a crash gets a response', withinMs: 1_500 },
  stepInFlight: { what: 'a step during a crash gets a response', withinMs: 5_000 },
};
type Goal = (typeof GOALS)[keyof typeof GOALS];

const { say, cleanup } = createProgram();
// An error outside of any awaited promise must not leave servers running.
process.on('uncaughtException', (error) => {
  say(String(error.stack));
  void cleanup.run().finally(() => process.exit(1));
});

if (values.help) say(USAGE);
else await main(Number(values.rounds));

async function main(rounds: number): Promise<void> {
  if (!(rounds >= 4)) throw new Error('--rounds must be at least 4, so that each worker crashes in each way');
  const folder = await mkdtemp(join(tmpdir(), 'corridor-recovery-'));
  try {
    await measure(folder, rounds);
  } finally {
    await cleanup.run();
    if (values.keep) say(`Data and logs are in ${folder}`);
    else await rm(folder, { recursive: true, force: true });
  }
}

async function measure(folder: string, rounds: number): Promise<void> {
  // The deadlines of npm start, and no random crashes.
  const withoutFaults = { crashPoints: { api: [], worker: [] }, env: {} };
  const installation = await startInstallation(folder, createRandom(1), cleanup, withoutFaults);
  const { agents, lps } = await createActors(installation);
  const [agent, lp] = [agents[0], lps[0]];
  const workers = installation.members.filter(({ part }) => part === 'worker');
  if (!agent || !lp) throw new Error('there is no agent or no LP');
  const deaths = await createWorkerDeaths(installation, agent, lp);
  cleanup.add(deaths.close);

  const calledImmediately: Recovery[] = [];
  const calledAfterEnd: Recovery[] = [];
  const begun: Recovery[] = [];
  const committed: Recovery[] = [];
  for (let round = 0; round < rounds; round++) {
    const worker = workers[round % workers.length];
    if (!worker) throw new Error('there is no worker to kill');
    // In two rounds of all workers, each of them crashes in each way.
    const isFirst = Math.floor(round / workers.length) % 2 === 0;
    const when = isFirst ? 'immediately' : 'after its end';
    const point: CrashPoint = isFirst ? 'step.begun' : 'step.committed';
    const idle = await deaths.nextStep(worker, when, point);
    const busy = await deaths.stepInFlight(worker);
    (isFirst ? calledImmediately : calledAfterEnd).push(idle);
    (isFirst ? begun : committed).push(busy);
    say(`round ${round + 1}: next step ${when}: ${describe(idle)}; killed at ${point}: ${describe(busy)}`);
  }
  const gone = calledAfterEnd.flatMap(({ goneAfterMs }) => goneAfterMs ?? []);
  say(`\na killed process ended after ${seconds(Math.min(...gone))} to ${seconds(Math.max(...gone))}`);
  say(
    `${rounds} rounds, load average ${loadavg()
      .map((load) => load.toFixed(1))
      .join(', ')}\n`,
  );
  say('| worker killed | rounds | min | median | max | goal | over it | 503 first |');
  say('|---|---|---|---|---|---|---|---|');
  say(row('between two steps, next one called immediately', GOALS.nextStep, calledImmediately));
  say(row('between two steps, next one called after its end', GOALS.nextStep, calledAfterEnd));
  say(row('at `step.begun`', GOALS.stepInFlight, begun));
  say(row('at `step.committed`', GOALS.stepInFlight, committed));
  say(`\n${verdict(GOALS.nextStep, [...calledImmediately, ...calledAfterEnd])}`);
  say(verdict(GOALS.stepInFlight, [...begun, ...committed]));
}

function isOver({ withinMs }: Goal): (recovery: Recovery) => boolean {
  return ({ ms }) => ms > withinMs;
}

function verdict(goal: Goal, recoveries: Recovery[]): string {
  const missed = recoveries.filter(isOver(goal)).length;
  const slowest = seconds(Math.max(...recoveries.map(({ ms }) => ms)));
  const times = `${missed} of ${recoveries.length} took longer, the slowest ${slowest}`;
  return `${missed > 0 ? 'MISSED' : 'MET'}   ${goal.what} within ${seconds(goal.withinMs)}: ${times}`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}

function describe({ ms, retries, taskLost }: Recovery): string {
  return `${seconds(ms)} (${retries} × 503, task lost: ${taskLost})`;
}

function row(name: string, goal: Goal, recoveries: Recovery[]): string {
  const sorted = recoveries.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (part: number) => seconds(sorted[Math.round(part * (sorted.length - 1))] ?? Number.NaN);
  const over = recoveries.filter(isOver(goal)).length;
  const retried = recoveries.filter(({ retries }) => retries > 0).length;
  const cells = [name, sorted.length, at(0), at(0.5), at(1), seconds(goal.withinMs), over, retried];
  return `| ${cells.join(' | ')} |`;
}
