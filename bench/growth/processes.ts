import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createProgram } from '../../dev/cleanup.ts';
import { createCallers } from '../../dev/http-client.ts';
import { createHttpClient } from '../../dev/kept-http-client.ts';
import { openDatabase } from '../../src/db/orm.ts';
import { checkInvariants } from '../../src/operations/diagnosis/check-invariants.ts';
import { findingText } from '../../src/operations/diagnosis/finding.ts';
import { createLogger } from '../../src/process/log.ts';
import { createOrderGateway } from '../../src/temporal/gateway.ts';
import { type Agent, newLp, newUnlimitedAgent, type TestLp } from '../../test/support/actors.ts';
import { ADMIN_KEY } from '../corridor.ts';
import { spread } from '../figures.ts';
import { CLIENTS, together } from '../load.ts';
import { formatSpread, plain } from '../report.ts';
import { writeResult } from '../results.ts';
import { type BenchServers, startServers } from '../servers.ts';
import { type Installation, newInstallation, startPart } from './corridor.ts';
import { table } from './report.ts';
import { countCosts, EXTRAS, PARTS, type UnitCosts } from './unit-costs.ts';
import { wholeOrder } from './whole-order.ts';

const USAGE = `usage: npm run bench:processes -- [--orders N] [--rounds N] [--json FILE] [--write]

Measures completed orders per second of ${CLIENTS} clients with one and with three API and worker processes on this machine,
and the CPU time of an order in each part. Every round starts each arrangement, measures it, checks the invariants and
stops it. Needs Linux for the CPU time.
  --orders  orders per arrangement and round (320)
  --rounds  number of rounds (3)
  --json    write all figures to this file
  --write   write the tables into bench/results`;

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '320' },
    rounds: { type: 'string', default: '3' },
    json: { type: 'string' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
});
const [orders, rounds] = [Number(values.orders), Number(values.rounds)];

interface Arrangement {
  apis: number;
  workers: number;
}
const ARRANGEMENTS: readonly Arrangement[] = [
  { apis: 1, workers: 1 },
  { apis: 3, workers: 1 },
  { apis: 1, workers: 3 },
  { apis: 3, workers: 3 },
];
const RATES = [10, 100, 1_000];
const WORDS = { api: 'API', worker: 'worker', temporal: 'Temporal', postgres: 'PostgreSQL', all: 'all' };
const LPS = 64;
/** Warm-up orders per process, which are not counted. */
const WARM_ORDERS = 40;
const COLLATERAL_USD = 100_000_000;
/** The workflows of completed orders may still be closing. */
const AGREE_WITHIN_MS = 60_000;

interface Figures {
  ordersPerSecond: number;
  costs: UnitCosts;
}

const { say, cleanup } = createProgram();
if (values.help) say(USAGE);
else if (!(orders > 0 && rounds > 0)) throw new RangeError(USAGE);
else await main().finally(cleanup.run);

async function main(): Promise<void> {
  const servers = await startServers(say);
  cleanup.add(servers.stop);
  const all = new Map<Arrangement, Figures[]>(ARRANGEMENTS.map((arrangement) => [arrangement, []]));
  for (let n = 0; n < rounds; n++)
    for (let i = 0; i < ARRANGEMENTS.length; i++) {
      const arrangement = ARRANGEMENTS[(i + n) % ARRANGEMENTS.length] as Arrangement;
      const figures = await measure(servers, arrangement);
      all.get(arrangement)?.push(figures);
      say(`round ${n + 1}, ${describeArrangement(arrangement)}: ${JSON.stringify(figures)}`);
    }
  const text = report(all);
  say(`\n${text}`);
  if (values.json)
    writeFileSync(values.json, `${JSON.stringify({ orders, rounds, all: [...all] }, null, 2)}\n`);
  if (values.write) writeResult('processes', text);
}

async function measure(servers: BenchServers, { apis, workers }: Arrangement): Promise<Figures> {
  const installation = await newInstallation(servers);
  const parts = {
    // First, because the first worker creates the namespace.
    worker: await startAll('worker', workers, installation),
    api: await startAll('api', apis, installation),
  };
  const clients = parts.api.map(({ port }) => createHttpClient(port));
  try {
    const { agent, lps } = await actors(parts.api[0]?.port ?? 0);
    let next = 0;
    let call = 0;
    // Each call of an order goes to the next API, so no API has the order cached.
    const http = () => at(clients, call++);
    const one = () => wholeOrder({ agent, lp: at(lps, next++), http });
    // Each of three workers gets a third of the orders, so three times as many orders warm its code equally.
    await together(WARM_ORDERS * Math.max(apis, workers), one);

    const costsSince = await countCosts(installation, parts);
    const began = performance.now();
    const ids: number[] = [];
    await together(orders, async () => void ids.push((await one()).orderId));
    const seconds = (performance.now() - began) / 1_000;
    const costs = await costsSince(orders, ids[0] ?? 0);
    await requireInvariants(installation);
    return { ordersPerSecond: orders / seconds, costs };
  } finally {
    for (const { close } of clients) close();
    for (const { stop } of [...parts.api, ...parts.worker]) await stop();
  }
}

function at<T>(all: readonly T[], n: number): T {
  return all[n % all.length] as T;
}

async function startAll(part: 'api' | 'worker', count: number, installation: Installation) {
  const started = [];
  while (started.length < count) started.push(await startPart(part, installation));
  return started;
}

async function actors(port: number): Promise<{ agent: Agent; lps: TestLp[] }> {
  const corridor = createCallers(`http://127.0.0.1:${port}`, ADMIN_KEY);
  const agent = await newUnlimitedAgent(corridor);
  const lps: TestLp[] = [];
  while (lps.length < LPS) lps.push(await newLp(corridor, { collateral: COLLATERAL_USD }));
  return { agent, lps };
}

/** Throws unless all invariants hold, in the database and in Temporal. */
async function requireInvariants({
  databaseUrl,
  temporalAddress: address,
  namespace,
}: Installation): Promise<void> {
  const log = createLogger('warn', process.stderr);
  const db = await openDatabase({ url: databaseUrl, poolSize: 2, debug: (message) => log.debug(message) });
  const gateway = createOrderGateway({ address, namespace, log });
  try {
    const findings = await checkInvariants({ db, gateway, log, agreeWithinMs: AGREE_WITHIN_MS });
    if (findings.length > 0)
      throw new Error(`Invariants are violated:\n${findings.map(findingText).join('\n')}`);
  } finally {
    await gateway.close();
    await db.close();
  }
}

function describeArrangement({ apis, workers }: Arrangement): string {
  return `${apis} API, ${workers} worker`;
}

function report(all: Map<Arrangement, Figures[]>): string {
  const of = (figures: Figures[], what: (one: Figures) => number) => formatSpread(spread(figures.map(what)));
  const cpu = ({ costs }: Figures) => PARTS.reduce((sum, part) => sum + costs[part], 0);
  const rows = [...all].map(([arrangement, figures]) => [
    describeArrangement(arrangement),
    of(figures, ({ ordersPerSecond }) => ordersPerSecond),
    ...PARTS.map((part) => of(figures, ({ costs }) => costs[part])),
    of(figures, cpu),
  ]);
  const every = [...all.values()].flat();
  const extras = Object.entries(EXTRAS).map(([what, words]) => [
    words,
    of(every, ({ costs }) => costs[what as keyof typeof EXTRAS]),
  ]);
  return [
    table(
      ['processes', 'orders/s', 'CPU ms per order: API', 'worker', 'Temporal', 'PostgreSQL', 'all'],
      rows,
    ),
    table(['other costs per order', 'median and range'], extras),
    table(
      ['cores, at half load', ...RATES.map((rate) => `${rate} orders/s`)],
      [...PARTS, 'all' as const].map((part) => [
        WORDS[part],
        ...RATES.map((rate) => plain((rate * 2 * costOf(all, part)) / 1_000)),
      ]),
    ),
  ].join('\n\n');
}

/** CPU milliseconds per order with one process of each kind: the median of all rounds. */
function costOf(all: Map<Arrangement, Figures[]>, part: keyof typeof WORDS): number {
  const figures = all.get(ARRANGEMENTS[0] as Arrangement) ?? [];
  return spread(
    figures.map(({ costs }) =>
      part === 'all' ? PARTS.reduce((sum, one) => sum + costs[one], 0) : costs[part],
    ),
  ).median;
}
