import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createProgram } from '../../dev/cleanup.ts';
import { writeResult } from '../results.ts';
import { type BenchServers, startServers } from '../servers.ts';
import { newInstallation, startPart } from './corridor.ts';
import { checkWholeLedger, type LedgerTimes } from './ledger.ts';
import { type Grown, measure, type Size, samplesOf, type Timings } from './measures.ts';
import { plansDuring, type StatementPlan } from './plans.ts';
import { latencyTable, ledgerTable, planList, statementTable } from './report.ts';
import { seed } from './seeding.ts';

const USAGE = `usage: npm run bench:growth -- [--sizes N,N…] [--rounds N] [--json FILE] [--write]

Measures how call durations and query plans change with the number of ended orders, through a real Corridor on a
database of each size. Every round measures each size, in a different order.
  --sizes   numbers of ended orders (1000,10000,100000,1000000)
  --rounds  number of rounds (3)
  --json    write all figures to this file
  --write   write the tables and the plans into bench/results`;

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000,100000,1000000' },
    rounds: { type: 'string', default: '3' },
    json: { type: 'string' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
});
const sizes = values.sizes.split(',').map(Number);
const rounds = Number(values.rounds);
if (![...sizes, rounds].every((n) => Number.isInteger(n) && n > 0)) throw new RangeError(USAGE);

const ROUND: Size = { orders: 40, reads: 60, sockets: 12 };
/** More than the five executions after which PostgreSQL may choose a generic plan for a prepared statement. */
const FOR_PLANS: Size = { orders: 12, reads: 12, sockets: 8 };
/** Long enough for Corridor's periodic jobs to run as often. */
const BACKGROUND_MS = 25_000;

const { say, cleanup } = createProgram();
if (values.help) say(USAGE);
else await main().finally(cleanup.run);

async function main(): Promise<void> {
  const servers = await startServers(say);
  cleanup.add(servers.stop);
  const grown: Grown[] = [];
  for (const size of sizes) grown.push(await grow(servers, size));

  const bySize = new Map<number, Timings>(sizes.map((size) => [size, {}]));
  for (let n = 0; n < rounds; n++)
    for (const one of grown.map((_, i) => grown[(i + n) % grown.length] as Grown)) {
      const found = await onCorridor(one, (part) => measure(part, one, ROUND));
      const all = bySize.get(one.size) ?? {};
      for (const [name, times] of Object.entries(found)) all[name] = [...(all[name] ?? []), ...times];
      say(`round ${n + 1}, ${one.size} orders: measured`);
    }
  say(`\n${latencyTable(bySize)}\n`);

  const [small, large] = [grown[0] as Grown, grown.at(-1) as Grown];
  const before = await plansOf(small);
  const after = small === large ? before : await plansOf(large);
  say(`${statementTable(before, after)}\n`);
  const ledgerTimes = new Map<number, LedgerTimes>();
  const keep = () => {
    const found = {
      sizes,
      rounds,
      timings: [...bySize],
      plans: { before, after },
      ledgerTimes: [...ledgerTimes],
    };
    if (values.json) writeFileSync(values.json, `${JSON.stringify(found, null, 2)}\n`);
    if (!values.write) return;
    writeResult('latency', latencyTable(bySize));
    writeResult('statements', statementTable(before, after));
    writeResult('ledger', ledgerTable(ledgerTimes));
    writeResult('plans', planList(after));
  };
  keep();
  // Last, because its duration grows with the ledger.
  for (const { size, installation } of grown) {
    ledgerTimes.set(size, await checkWholeLedger(installation.databaseUrl));
    keep();
  }
  say(ledgerTable(ledgerTimes));
}

async function grow(servers: BenchServers, size: number): Promise<Grown> {
  const installation = await newInstallation(servers);
  const { databaseUrl } = installation;
  const actors = await seed({ databaseUrl, orders: size, progress: (line) => say(`${size}: ${line}`) });
  return { size, installation, actors, samples: await samplesOf(databaseUrl, size, actors) };
}

/** Does the work on a newly started, otherwise idle Corridor. */
async function onCorridor<T>(
  { installation }: Grown,
  work: (part: Awaited<ReturnType<typeof startPart>>) => Promise<T>,
) {
  const part = await startPart('all', installation);
  try {
    return await work(part);
  } finally {
    await part.stop();
  }
}

/** The plans of the measured calls and of Corridor's periodic jobs. */
function plansOf(grown: Grown): Promise<StatementPlan[]> {
  return plansDuring(grown.installation.databaseUrl, () =>
    onCorridor(grown, async (part) => {
      await measure(part, grown, FOR_PLANS);
      await delay(BACKGROUND_MS);
    }),
  );
}
