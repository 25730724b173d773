import { Migrator } from '@mikro-orm/migrations';
import { MikroORM, type Options, type SqlEntityManager } from '@mikro-orm/postgresql';
import pg from 'pg';
import { type StatementSpans, statementSpans } from '../tracing/statement-spans.ts';
import { AgentKey } from './entities/agent-key.ts';
import { LpAutoClaim } from './entities/auto-claim.ts';
import {
  OrderTotals,
  ProcessPresence,
  RateWindow,
  ReconcilerProgress,
  SandboxTransaction,
  ServicePulse,
  SocketSlot,
  UnansweredOrder,
} from './entities/infrastructure.ts';
import { CollateralDeposit, CollateralWithdrawal, LedgerTransfer } from './entities/ledger.ts';
import { Lp, LpAsset, LpCollateral, LpRate } from './entities/lp.ts';
import { FeedCursor, LpForgiveness, LpStatistics, LpStrike } from './entities/lp-record.ts';
import { Order } from './entities/order.ts';
import {
  ChainTransaction,
  IdempotencyKey,
  OrderEvent,
  OrderOutcome,
  RequestNote,
  WebhookAttempt,
  WebhookDelivery,
} from './entities/order-log.ts';
import { RateLock } from './entities/rate-lock.ts';
import { Receipt } from './entities/receipt.ts';
import { User } from './entities/user.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { queryPool } from './pool.ts';

const ENTITIES = [
  User,
  AgentKey,
  Lp,
  LpRate,
  LpAsset,
  LpCollateral,
  LpAutoClaim,
  Order,
  RateLock,
  OrderEvent,
  OrderOutcome,
  IdempotencyKey,
  ChainTransaction,
  CollateralDeposit,
  CollateralWithdrawal,
  LedgerTransfer,
  WebhookDelivery,
  WebhookAttempt,
  SandboxTransaction,
  RateWindow,
  SocketSlot,
  ProcessPresence,
  ServicePulse,
  ReconcilerProgress,
  OrderTotals,
  UnansweredOrder,
  RequestNote,
  Receipt,
  LpForgiveness,
  LpStrike,
  LpStatistics,
  FeedCursor,
];

/**
 * The database as the rest of the code sees it: `em()` for mapped rows, `query()` for the statements that are
 * written by hand. Both use the one pool.
 */
export interface Database {
  orm: MikroORM;
  pool: pg.Pool;
  em: () => SqlEntityManager;
  /** One statement, prepared under its name on each connection. */
  query: <Row extends pg.QueryResultRow>(name: string, text: string, values: unknown[]) => Promise<Row[]>;
  /** Does what is one statement to whoever waits for it, which traces then show under this name; `query` does by itself. */
  asStatement: StatementSpans['around'];
  close: () => Promise<void>;
}

export interface DatabaseOptions {
  url: string;
  poolSize?: number;
  /** Give up on a statement after this time; 0: never. */
  queryTimeoutMs?: number;
  /** Make the database itself when it is missing: for migrations alone. */
  create?: boolean;
  /** Receives what the ORM has to say: migrations, lost connections. The pool replaces those by itself. */
  debug: (message: string) => void;
}

const ormOptions = ({ poolSize = 20, ...options }: DatabaseOptions): Options => ({
  clientUrl: options.url,
  entities: ENTITIES,
  extensions: [Migrator],
  migrations: {
    migrationsList: MIGRATIONS,
    path: new URL('./migrations', import.meta.url).pathname,
    snapshot: false,
  },
  // What was opened stays: see `openConnections`.
  pool: { min: poolSize, max: poolSize },
  ensureDatabase: options.create ?? false,
  logger: options.debug,
  colors: false,
  driverOptions: {
    types: columnParsers(),
    application_name: 'corridor',
    // A database that is away or hangs must turn into an error while the caller still waits for its answer.
    connectionTimeoutMillis: 2_500,
    query_timeout: options.queryTimeoutMs ?? 4_000,
    keepAlive: true,
  },
});

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const spans = statementSpans(options.url);
  const orm = await MikroORM.init({ ...ormOptions(options), loggerFactory: spans.logger });
  const connection = orm.em.getConnection() as unknown as { getNativeClient: () => Promise<pg.Pool> };
  const pool = await connection.getNativeClient();
  return {
    orm,
    pool,
    em: () => orm.em.fork() as SqlEntityManager,
    query: (name, text, values) => spans.around(name, () => queryPool(pool, { name, text, values })),
    asStatement: spans.around,
    close: async () => {
      await orm.close();
      // The ORM ends the pool only where it has used it itself; hand-written statements alone would leave it open.
      if (!pool.ending) await pool.end();
    },
  };
}

/**
 * Brings the schema up to date, and gives the names of the migrations that were applied. Safe to run from several
 * processes at once: one waits for the other, for as long as it takes.
 */
export async function migrate(options: DatabaseOptions): Promise<string[]> {
  const db = await openDatabase({ ...options, queryTimeoutMs: 0, create: true });
  const lock = await db.pool.connect();
  try {
    await lock.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const done = await db.orm.migrator.up();
    return done.map((migration) => migration.name);
  } finally {
    // Closing the connection, not returning it: that gives the lock back in every case.
    lock.release(true);
    await db.close();
  }
}
/** Whether there are migrations that this database has not seen. Rejects when the database cannot be reached. */
export async function needsMigration(db: Database): Promise<boolean> {
  await db.pool.query('select 1');
  return (await db.orm.migrator.getPending()).length > 0;
}

const MIGRATION_LOCK = 7_266_001;

/**
 * Ids are 64-bit in the database and safe integers here; times stay text for the ORM to map. NUMERIC stays a
 * decimal string, as `pg` does by default.
 */
function columnParsers(): pg.CustomTypesConfig {
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, Number);
  for (const oid of [pg.types.builtins.DATE, pg.types.builtins.TIMESTAMP, pg.types.builtins.TIMESTAMPTZ]) {
    types.setTypeParser(oid, (text) => text);
  }
  return types;
}
