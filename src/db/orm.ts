import { Migrator } from '@mikro-orm/migrations';
import { MikroORM, type Options, type SqlEntityManager } from '@mikro-orm/postgresql';
import pg from 'pg';
import { parse } from 'pg-connection-string';
import { type StatementSpans, statementSpans } from '../process/tracing/statement-spans.ts';
import { carryAuditContext } from './audit-context.ts';
import { Admin } from './entities/admin.ts';
import { AgentKey } from './entities/agent-key.ts';
import { AgentWebhookSecret } from './entities/agent-webhook-secret.ts';
import { Approval } from './entities/approval.ts';
import { AuditEvent } from './entities/audit-event.ts';
import { LpAutoClaim } from './entities/auto-claim.ts';
import { BulkOrder, BulkRun } from './entities/bulk.ts';
import { Incident } from './entities/incident.ts';
import {
  AgentRequestCount,
  ChainContact,
  OrderTotals,
  ProcessHeartbeat,
  RateWindow,
  ReconcilerProgress,
  ReserveCheck,
  SandboxTransaction,
  ServiceHeartbeat,
  SocketSlot,
  UnansweredOrder,
} from './entities/infrastructure.ts';
import { CollateralDeposit, CollateralWithdrawal, LedgerTransfer } from './entities/ledger.ts';
import { Lp, LpAddress, LpAsset, LpCollateral, LpTerm, ReferencePrice } from './entities/lp.ts';
import {
  AddressRelease,
  FeedCursor,
  FreeRelease,
  LpForgiveness,
  LpStatistics,
  LpStrike,
} from './entities/lp-record.ts';
import { FormerLpWebhook, LpWebhook } from './entities/lp-webhook.ts';
import { Order } from './entities/order.ts';
import {
  ChainTransaction,
  IdempotencyKey,
  OrderEvent,
  OrderOutcome,
  PaymentVerdict,
  RequestNote,
  WebhookAttempt,
  WebhookDelivery,
} from './entities/order-log.ts';
import { Pause } from './entities/pause.ts';
import { AdminPosting, PlatformAccount } from './entities/posting.ts';
import { RateLock, ReservedAmount } from './entities/rate-lock.ts';
import { Receipt } from './entities/receipt.ts';
import { RecipientCheck } from './entities/recipient-check.ts';
import { OidcSignIn, Session } from './entities/session.ts';
import { User } from './entities/user.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { queryPool } from './pool.ts';
import { keepTlsFresh, tlsIn } from './tls.ts';

const ENTITIES = [
  User,
  Admin,
  Session,
  OidcSignIn,
  Approval,
  AuditEvent,
  AgentKey,
  AgentRequestCount,
  Lp,
  LpTerm,
  ReferencePrice,
  LpAsset,
  LpAddress,
  AddressRelease,
  LpCollateral,
  LpAutoClaim,
  Pause,
  Incident,
  Order,
  RateLock,
  RecipientCheck,
  ReservedAmount,
  OrderEvent,
  OrderOutcome,
  IdempotencyKey,
  ChainTransaction,
  PaymentVerdict,
  CollateralDeposit,
  CollateralWithdrawal,
  AdminPosting,
  LedgerTransfer,
  PlatformAccount,
  LpWebhook,
  FormerLpWebhook,
  AgentWebhookSecret,
  WebhookDelivery,
  WebhookAttempt,
  SandboxTransaction,
  RateWindow,
  SocketSlot,
  ProcessHeartbeat,
  ServiceHeartbeat,
  ChainContact,
  ReconcilerProgress,
  ReserveCheck,
  OrderTotals,
  UnansweredOrder,
  RequestNote,
  BulkRun,
  BulkOrder,
  Receipt,
  LpForgiveness,
  LpStrike,
  FreeRelease,
  LpStatistics,
  FeedCursor,
];

/**
 * The database as the rest of the code sees it: `em()` for mapped rows, `query()` for hand-written statements. Both use
 * the same pool.
 */
export interface Database {
  orm: MikroORM;
  pool: pg.Pool;
  em: () => SqlEntityManager;
  /** Runs one statement, which each connection prepares under its name. */
  query: <Row extends pg.QueryResultRow>(name: string, text: string, values: unknown[]) => Promise<Row[]>;
  /** Runs work that traces show as one statement of this name. `query` does so by itself. */
  asStatement: StatementSpans['around'];
  close: () => Promise<void>;
}

export interface DatabaseOptions {
  url: string;
  poolSize?: number;
  /** Milliseconds after which a statement fails; 0: never. */
  queryTimeoutMs?: number;
  /** Milliseconds after which a statement that waits for a lock fails. Default: none. Only migrations have one. */
  lockTimeoutMs?: number;
  /** Create the database if it does not exist. Only migrations do. */
  create?: boolean;
  /** Receives the ORM's messages about migrations and lost connections. The pool replaces lost connections. */
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
  // The pool keeps its connections open: see `openConnections`.
  pool: { min: poolSize, max: poolSize },
  ensureDatabase: options.create ?? false,
  logger: options.debug,
  colors: false,
  driverOptions: driverOptions(options),
});

function driverOptions(options: DatabaseOptions): pg.PoolConfig {
  const ssl = tlsIn(options.url);
  return {
    types: columnParsers(),
    ...(ssl !== false && { ssl }),
    application_name: 'corridor',
    // A database that is unreachable or hangs must become an error while the client still waits for its response.
    connectionTimeoutMillis: 2_500,
    query_timeout: options.queryTimeoutMs ?? 4_000,
    ...(options.lockTimeoutMs && { lock_timeout: options.lockTimeoutMs }),
    keepAlive: true,
  };
}

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const spans = statementSpans(options.url);
  const orm = await MikroORM.init({ ...ormOptions(options), loggerFactory: spans.logger });
  const connection = orm.em.getConnection() as unknown as { getNativeClient: () => Promise<pg.Pool> };
  const pool = await connection.getNativeClient();
  keepTlsFresh(pool, options.url);
  carryAuditContext(pool);
  return {
    orm,
    pool,
    em: () => orm.em.fork() as SqlEntityManager,
    query: (name, text, values) => spans.around(name, () => queryPool(pool, { name, text, values })),
    asStatement: spans.around,
    close: async () => {
      await orm.close();
      // The ORM ends the pool only if it has used the pool itself.
      if (!pool.ending) await pool.end();
    },
  };
}

/**
 * The same database for the statements of another role, with a pool of its own. It has no mapped rows, so it does not need
 * what the mapper reads about all entities, a tenth of a second of CPU.
 */
export function openForStatements(options: DatabaseOptions, { orm }: Database): Database {
  const spans = statementSpans(options.url);
  const { host, port, user, password, database } = parse(options.url);
  const pool = new pg.Pool({
    ...driverOptions(options),
    ...{ host: host ?? '', port: Number(port ?? 5432), user, password, database: database ?? '' },
    ...{ min: options.poolSize, max: options.poolSize },
  });
  // The server may end a connection while nothing uses it, or between two statements of a transaction. The pool replaces it.
  const lost = (error: Error) => options.debug(`a connection was lost: ${error.message}`);
  pool.on('error', lost);
  pool.on('connect', (client) => client.on('error', lost));
  keepTlsFresh(pool, options.url);
  return {
    orm,
    pool,
    em: () => {
      throw new Error('Mapped rows are read by the role of the service, and this is another role');
    },
    query: (name, text, values) => spans.around(name, () => queryPool(pool, { name, text, values })),
    asStatement: spans.around,
    close: () => pool.end(),
  };
}

/**
 * Ids are 64-bit in the database and safe integers here. Times stay text, which the ORM maps. NUMERIC stays a decimal
 * string, as `pg` returns it by default.
 */
export function columnParsers(): pg.CustomTypesConfig {
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, Number);
  for (const oid of [pg.types.builtins.DATE, pg.types.builtins.TIMESTAMP, pg.types.builtins.TIMESTAMPTZ]) {
    types.setTypeParser(oid, (text) => text);
  }
  return types;
}
