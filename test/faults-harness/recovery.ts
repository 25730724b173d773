import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cleanUpOnSignals, createCleanup } from '../../dev/cleanup.ts';
import type { CrashPoint } from '../../src/process/crash-point.ts';
import { createRandom } from '../support/random.ts';
import { createActors } from './actors.ts';
import { startInstallation } from './installation.ts';
import { createWorkerDeaths, type Recovery } from './worker-deaths.ts';

const USAGE = `usage: npm run measure:recovery -- [--rounds N] [--keep]

Kills workers with SIGKILL under orders that they carry, and measures how soon the orders go on at the other worker.
Says of each goal whether it was kept. A measurement: a goal that is missed is no failure, an order that is wrong is one.
  --rounds  how many times (20), four at least; each kills a worker between two steps, and one while it carries out a step
  --keep    leave the data and the logs in their folder`;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
});

/** The goal, in milliseconds. */
const GOALS = {
  nextStep: { what: 'the next step after a death is answered', withinMs: 1_500 },
  stepInFlight: { what: 'a step that the death struck is answered', withinMs: 5_000 },
};
type Goal = (typeof GOALS)[keyof typeof GOALS];

const say = (line: string) => process.stdout.write(`${line}\n`);
const cleanup = createCleanup(say);
cleanUpOnSignals(cleanup.run);
// Whatever goes wrong where nobody waits for it must leave no server behind.
process.on('uncaughtException', (error) => {
  say(String(error.stack));
  void cleanup.run().finally(() => process.exit(1));
});

if (values.help) say(USAGE);
else await main(Number(values.rounds));

async function main(rounds: number): Promise<void> {
  if (!(rounds >= 4)) throw new Error('four rounds are the least: each worker dies in each way');
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
  // The deadlines of npm start, and no process dies unless it is its turn.
  const calm = { crashPoints: { api: [], worker: [] }, env: {} };
  const installation = await startInstallation(folder, createRandom(1), cleanup, calm);
  const { agents, lps } = await createActors(installation);
  const [agent, lp] = [agents[0], lps[0]];
  const workers = installation.members.filter(({ part }) => part === 'worker');
  if (!agent || !lp) throw new Error('there is nobody to pay or to claim');
  const deaths = await createWorkerDeaths(installation, agent, lp);
  cleanup.add(deaths.close);

  const concurrency: Recovery[] = [];
  const onceGone: Recovery[] = [];
  const begun: Recovery[] = [];
  const committed: Recovery[] = [];
  for (let round = 0; round < rounds; round++) {
    const worker = workers[round % workers.length];
    if (!worker) throw new Error('there is no worker to kill');
    // Two turns of all workers: each of them dies in each way.
    const isFirst = Math.floor(round / workers.length) % 2 === 0;
    const when = isFirst ? 'at once' : 'when it has gone';
    const point: CrashPoint = isFirst ? 'step.begun' : 'step.committed';
    const idle = await deaths.nextStep(worker, when, point);
    const busy = await deaths.stepInFlight(worker);
    (isFirst ? concurrency : onceGone).push(idle);
    (isFirst ? begun : committed).push(busy);
    say(`round ${round + 1}: next step ${when}: ${inWords(idle)}; killed at ${point}: ${inWords(busy)}`);
  }
  const gone = onceGone.flatMap(({ goneAfterMs }) => goneAfterMs ?? []);
  say(`\na killed process had gone after ${seconds(Math.min(...gone))} to ${seconds(Math.max(...gone))}`);
  say(
    `${rounds} rounds, load average ${loadavg()
      .map((load) => load.toFixed(1))
      .join(', ')}\n`,
  );
  say('| worker killed | rounds | min | median | max | goal | over it | answered 503 first |');
  say('|---|---|---|---|---|---|---|---|');
  say(row('between two steps, next one called at once', GOALS.nextStep, concurrency));
  say(row('between two steps, next one called when it has gone', GOALS.nextStep, onceGone));
  say(row('at `step.begun`', GOALS.stepInFlight, begun));
  say(row('at `step.committed`', GOALS.stepInFlight, committed));
  say(`\n${verdict(GOALS.nextStep, [...concurrency, ...onceGone])}`);
  say(verdict(GOALS.stepInFlight, [...begun, ...committed]));
}

function isOver({ withinMs }: Goal): (recovery: Recovery) => boolean {
  return ({ ms }) => ms > withinMs;
}

function verdict(goal: Goal, recoveries: Recovery[]): string {
  const missed = recoveries.filter(isOver(goal)).length;
  const slowest = seconds(Math.max(...recoveries.map(({ ms }) => ms)));
  const times = `${missed} of ${recoveries.length} took longer, the slowest ${slowest}`;
  return `${missed > 0 ? 'MISSED' : 'KEPT'}  ${goal.what} within ${seconds(goal.withinMs)}: ${times}`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}

function inWords({ ms, putOff, taskLost }: Recovery): string {
  return `${seconds(ms)} (${putOff} × 503, task lost: ${taskLost})`;
}

function row(name: string, goal: Goal, recoveries: Recovery[]): string {
  const sorted = recoveries.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (part: number) => seconds(sorted[Math.round(part * (sorted.length - 1))] ?? Number.NaN);
  const over = recoveries.filter(isOver(goal)).length;
  const putOff = recoveries.filter((one) => one.putOff > 0).length;
  const cells = [name, sorted.length, at(0), at(0.5), at(1), seconds(goal.withinMs), over, putOff];
  return `| ${cells.join(' | ')} |`;
}
