import pg from 'pg';
import { migrate } from '../../../src/db/migrate.ts';
import { newDatabase, startOwnPostgres } from '../../databases.ts';
import { seed } from '../../growth/seeding.ts';
import { type Figures, ms, type Scenario } from '../scenario.ts';

/** Faster builds than this are only added up. */
const WORTH_A_ROW_MS = 1_000;

export const MIGRATION: Scenario = {
  question:
    'How long do the initial migration and, with many ended orders, each index take to build, and how long does a writer wait meanwhile? A million orders take half an hour to seed and 10 GB.',
  sizes: { orders: 1_000_000 },
  rounds: 1,
  warms: false,
  async start({ say, cleanup, size }) {
    const url = await newDatabase(await startOwnPostgres(cleanup));
    const initialMs = await ms(() => migrate({ url, debug: () => undefined }));
    await seed({ databaseUrl: url, orders: size('orders'), progress: say });
    const connect = async () => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      cleanup.add(() => client.end());
      return client;
    };
    const [builder, writer] = [await connect(), await connect()];
    const measure = async () => {
      const figures: Figures = { 'initial migration, s': initialMs / 1_000, 'all indexes, s': 0 };
      const { rows } = await builder.query<Index>(
        `select indexname as name, tablename as "tableName", indexdef as definition
         from pg_indexes where schemaname = 'public' order by tablename, indexname`,
      );
      for (const index of rows) {
        const build = await buildAgain(index, builder, writer);
        figures['all indexes, s'] = Number(figures['all indexes, s']) + build.ms / 1_000;
        if (build.ms < WORTH_A_ROW_MS) continue;
        figures[`${index.name}, s`] = build.ms / 1_000;
        figures[`${index.name}, MB`] = build.bytes / 2 ** 20;
        figures[`${index.name}, a writer’s longest wait, ms`] = build.waitMs;
      }
      return figures;
    };
    return { Corridor: measure };
  },
};

interface Index {
  name: string;
  tableName: string;
  /** Its statement. */
  definition: string;
}

/** Builds a copy of the index beside it, and drops the copy. Meanwhile a writer opens the table as a command does. */
async function buildAgain({ tableName, definition }: Index, builder: pg.Client, writer: pg.Client) {
  const create = definition.replace(
    /^create (unique )?index \S+ on /i,
    (_, unique = '') => `create ${unique}index concurrently built_again on `,
  );
  let isBuilding = true;
  let waitMs = 0;
  const write = `begin; lock table ${tableName} in row exclusive mode; rollback`;
  const writing = (async () => {
    while (isBuilding) waitMs = Math.max(waitMs, await ms(() => writer.query(write)));
  })();
  const took = await ms(() => builder.query(create));
  isBuilding = false;
  await writing;
  const { rows } = await builder.query<{ bytes: string }>(`select pg_relation_size('built_again') as bytes`);
  await builder.query('drop index built_again');
  return { ms: took, bytes: Number(rows[0]?.bytes), waitMs };
}
