import { parseArgs } from 'node:util';
import pg from 'pg';
import { createProgram } from '../../dev/cleanup.ts';
import { migrate } from '../../src/db/migrate.ts';
import { newDatabase, startOwnPostgres } from '../databases.ts';
import { plain } from '../report.ts';
import { table } from './report.ts';
import { seed } from './seeding.ts';

const USAGE = `usage: npm run bench:migration -- [--orders N]

Measures, on a database alone, how long migrations take: the initial one on an empty database, and then, with N ended orders
(1000000), a second build of each index with "create index concurrently". Beside each build, a writer opens the table as a
command does, and its longest wait is measured. Seeding a million orders takes about half an hour and 10 GB.`;

const { values } = parseArgs({
  options: { orders: { type: 'string', default: '1000000' }, help: { type: 'boolean', short: 'h' } },
});
const orders = Number(values.orders);
/** Faster builds than this are only counted. */
const WORTH_A_ROW_MS = 1_000;
const { say, cleanup } = createProgram();

if (values.help) say(USAGE);
else if (!Number.isInteger(orders) || orders < 1) {
  process.stderr.write(`${USAGE}\n`);
  process.exitCode = 2;
} else await main().finally(cleanup.run);

interface Index {
  name: string;
  tableName: string;
  /** Its statement. */
  definition: string;
}
interface Build extends Index {
  ms: number;
  bytes: number;
  /** The longest wait of the writer. */
  waitMs: number;
}

async function main(): Promise<void> {
  const postgresUrl = await startOwnPostgres(cleanup);
  const url = await newDatabase(postgresUrl);
  const initialMs = await timed(() => migrate({ url, debug: () => undefined }));
  say(`the initial migration of an empty database: ${plain(initialMs / 1_000)} s`);
  await seed({ databaseUrl: url, orders, progress: say });

  const builder = await connect(url);
  const writer = await connect(url);
  const builds: Build[] = [];
  for (const index of await indexesOf(builder)) builds.push(await buildAgain(index, builder, writer));
  await Promise.all([builder.end(), writer.end()]);

  const slow = builds.filter(({ ms }) => ms >= WORTH_A_ROW_MS).sort((a, b) => b.ms - a.ms);
  const row = ({ name, tableName, ms, bytes, waitMs }: Build) => [
    ...[`\`${name}\``, `\`${tableName}\``, plain(ms / 1_000)],
    ...[plain(bytes / 2 ** 20), plain(waitMs)],
  ];
  say(`\n${table(['index', 'table', 'seconds', 'MB', "a writer's longest wait, ms"], slow.map(row))}`);
  const seconds = (some: Build[]) => plain(some.reduce((sum, { ms }) => sum + ms, 0) / 1_000);
  say(
    `all ${builds.length} indexes: ${seconds(builds)} s, of which these ${slow.length}: ${seconds(slow)} s`,
  );
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function indexesOf(client: pg.Client): Promise<Index[]> {
  const { rows } = await client.query<Index>(
    `select indexname as name, tablename as "tableName", indexdef as definition
     from pg_indexes where schemaname = 'public' order by tablename, indexname`,
  );
  return rows;
}

/** Builds a copy of the index beside it, and drops the copy. */
async function buildAgain(index: Index, builder: pg.Client, writer: pg.Client): Promise<Build> {
  const create = index.definition.replace(
    /^create (unique )?index \S+ on /i,
    (_, unique = '') => `create ${unique}index concurrently built_again on `,
  );
  let isBuilding = true;
  let waitMs = 0;
  const opening = (async () => {
    while (isBuilding)
      waitMs = Math.max(
        waitMs,
        await timed(() =>
          writer.query(`begin; lock table ${index.tableName} in row exclusive mode; rollback`),
        ),
      );
  })();
  const ms = await timed(() => builder.query(create));
  isBuilding = false;
  await opening;
  const { rows } = await builder.query<{ bytes: string }>(`select pg_relation_size('built_again') as bytes`);
  await builder.query('drop index built_again');
  return { ...index, ms, bytes: Number(rows[0]?.bytes), waitMs };
}
