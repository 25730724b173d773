import { parseArgs } from 'node:util';
import { createProgram } from '../../dev/cleanup.ts';
import { startTcpProxy } from '../../test/support/tcp-proxy.ts';
import { createServerMeter } from '../cpu.ts';
import { CLIENTS, together } from '../load.ts';
import { pacedOrders, WARM_UP_ORDERS, warmUp, wholeOrder } from '../measures.ts';
import { writeResult } from '../results.ts';
import { type BenchServers, startServers } from '../servers.ts';
import { type Subject, startSubject } from '../subjects.ts';
import { statementCounter } from './statements.ts';
import { CALL, temporalCounts } from './temporal-metrics.ts';
import { cpuByThread } from './threads.ts';
import { type Counts, usagePerOrder } from './usage-per-order.ts';

const USAGE = `usage: npm run bench:order -- [--orders N] [--paced N] [--write]

Prints what a whole order of Corridor takes: CPU time by process and thread, statements, calls to Temporal, its requests to
its store, and bytes. Once with ${CLIENTS} clients (--orders, 240), and once with a second between the steps (--paced, 40).
What the idle service takes in the same time is subtracted. CPU time and counts are measured in two runs, because
counting costs CPU time.
  --write   write the tables into bench/results`;

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '240' },
    paced: { type: 'string', default: '40' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
});
const [orders, paced] = [Number(values.orders), Number(values.paced)];
const { say, cleanup } = createProgram();
if (values.help) say(USAGE);
else await main().finally(cleanup.run);

async function main(): Promise<void> {
  const servers = await startServers(say);
  cleanup.add(servers.stop);
  const cpu = await measureCpu(servers);
  const counts = await measureCounts(servers);
  const text = [
    table('milliseconds of CPU time of an order', cpu, 1),
    table('an order takes', counts, 1, (name) => !name.startsWith(CALL)),
    table('calls to Temporal', counts, 2, (name) => name.startsWith(CALL)),
  ].join('\n\n');
  say(`\n${text}`);
  if (values.write) writeResult('order', text);
}

/** Of both runs: with all clients, then with a second between the steps. */
async function measure(subject: Subject, read: () => Promise<Counts>): Promise<Counts[]> {
  await warmUp(subject, WARM_UP_ORDERS);
  return usagePerOrder(read, [
    { orders, complete: () => together(orders, () => wholeOrder(subject)) },
    { orders: paced, complete: () => pacedOrders(subject, paced) },
  ]);
}

async function measureCpu(servers: BenchServers): Promise<Counts[]> {
  const subject = await startSubject('corridor', servers);
  cleanup.add(subject.stop);
  const ofServers = await createServerMeter(servers);
  const found = await measure(subject, async () => {
    const { temporal, postgres } = ofServers();
    const used = { ...cpuByThread(subject.pid), 'Temporal’s server': temporal, PostgreSQL: postgres };
    const { user, system } = process.cpuUsage();
    const sum = Object.values(used).reduce((all, ms) => all + ms, 0);
    return { ...used, sum, 'beside it, the clients of this bench': (user + system) / 1_000 };
  });
  await subject.stop();
  return found;
}

async function measureCounts(servers: BenchServers): Promise<Counts[]> {
  let statements = 0;
  const postgres = new URL(servers.databaseUrl);
  const bytes = { postgres: 0, temporal: 0 };
  const toPostgres = await startTcpProxy(postgres.hostname, Number(postgres.port), '127.0.0.1', () => {
    const sent = statementCounter(() => {
      statements++;
    });
    return (chunk, sender) => {
      bytes.postgres += chunk.length;
      if (sender === 'client') sent(chunk);
    };
  });
  cleanup.add(toPostgres.close);
  const [host = '', port] = servers.temporalAddress.split(':');
  const toTemporal = await startTcpProxy(host, Number(port), '127.0.0.1', () => (chunk) => {
    bytes.temporal += chunk.length;
  });
  cleanup.add(toTemporal.close);
  postgres.port = String(toPostgres.port);
  const subject = await startSubject('corridor', {
    ...servers,
    databaseUrl: postgres.href,
    temporalAddress: `127.0.0.1:${toTemporal.port}`,
  });
  cleanup.add(subject.stop);
  const found = await measure(subject, async () => {
    const {
      calls = 0,
      polls = 0,
      persistence = 0,
      ...byName
    } = await temporalCounts(servers.temporalMetricsUrl);
    return {
      statements,
      'kB to and from PostgreSQL': bytes.postgres / 1_000,
      'calls to Temporal': calls,
      'polls of Temporal for work': polls,
      'kB to and from Temporal': bytes.temporal / 1_000,
      'requests of Temporal to its store': persistence,
      ...byName,
    };
  });
  await subject.stop();
  return found;
}

/** A row for each count that `has` accepts. Less than a tenth is noise of the idle service. */
function table(title: string, runs: Counts[], digits: number, has = (_name: string) => true): string {
  const names = [...new Set(runs.flatMap((counts) => Object.keys(counts)))].filter(has);
  const rows = names
    .map((name) => [name.replace(CALL, ''), ...runs.map((counts) => (counts[name] ?? 0).toFixed(digits))])
    .filter(([, ...numbers]) => numbers.some((number) => Math.abs(Number(number)) >= 0.1));
  return [
    `| ${title} | ${CLIENTS} clients | a second between the steps |`,
    '| --- | --- | --- |',
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n');
}
