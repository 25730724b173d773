import pg from 'pg';
import { type Answer, CHANGES, type ChangeName, type ChangeRequest } from './changes.ts';

/**
 * The tables and statements that all alternatives share, so that only the code around them differs. One statement (one
 * transaction, one round trip) performs a change: it updates the order if its status allows the change, moves the
 * collateral, and records the event with the request's id.
 */
const TABLES = `
  create table if not exists bench_lp (
    id bigint generated always as identity primary key,
    available numeric(18, 6) not null constraint bench_lp_available_not_negative check (available >= 0),
    locked numeric(18, 6) not null default 0 check (locked >= 0)
  );
  create table if not exists bench_key (
    key_hash bytea primary key,
    -- Null: the agent's key.
    lp_id bigint references bench_lp
  );
  create table if not exists bench_order (
    id bigint generated always as identity primary key,
    version integer not null default 1,
    status text not null default 'matched',
    amount_usd numeric(18, 6) not null,
    lp_id bigint references bench_lp,
    collateral_usd numeric(18, 6),
    tx_hash text constraint bench_order_tx_hash_once unique,
    -- Null: nobody wants webhooks.
    callback_url text,
    created_at timestamptz not null default now()
  );
  create table if not exists bench_event (
    request_id text constraint bench_event_pkey primary key,
    order_id bigint not null references bench_order,
    -- The order's version after the change; null if it was refused.
    version integer,
    change text not null,
    result text not null,
    created_at timestamptz not null default now(),
    unique (order_id, version)
  );
  create table if not exists bench_ledger (
    id bigint generated always as identity primary key,
    order_id bigint not null references bench_order,
    change text not null,
    amount_usd numeric(18, 6) not null,
    created_at timestamptz not null default now()
  );
  create table if not exists bench_transaction (
    tx_hash text primary key,
    amount_usd numeric(18, 6) not null
  );`;

/** Several processes may create the tables concurrently. */
const TABLES_LOCK = 7_266_002;

export async function createTables(pool: pg.Pool): Promise<void> {
  // Sent together, the statements are one transaction.
  await pool.query(`select pg_advisory_xact_lock(${TABLES_LOCK}); ${TABLES}`);
}

/** The pool of one process, with the same size and timeouts as Corridor's. */
export function openPool(databaseUrl: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 20,
    connectionTimeoutMillis: 2_500,
    query_timeout: 4_000,
    keepAlive: true,
  });
  // The pool replaces a lost connection, and the query on it rejects.
  const logLoss = (error: Error) => console.error('a connection was lost:', error.message);
  pool.on('error', logLoss).on('connect', (client) => client.on('error', logLoss));
  return pool;
}

/** A statement that each connection prepares once. $1: order id, $2: request id, $3: the request's value, if any. */
export interface Statement {
  name: string;
  text: string;
}

/** The SQL in which one change differs from the others. */
interface ChangeSql {
  /** Starts with a comma. */
  set?: string;
  where?: string;
  effect?: string;
}

/** Moves the order's collateral between the LP's balances. A negative balance violates a CHECK and fails the statement. */
const collateral = (available: string, locked: string) =>
  `collateral as (
    update bench_lp l set available = l.available ${available} o.collateral_usd, locked = l.locked ${locked} o.collateral_usd
    from o where l.id = o.lp_id
  ),`;

const CHANGE_SQL: Record<ChangeName, ChangeSql> = {
  claim: { set: ', lp_id = $3, collateral_usd = amount_usd', effect: collateral('-', '+') },
  fiatSent: { where: 'and lp_id = $3' },
  confirm: {},
  settle: { set: ', tx_hash = $3' },
  complete: { effect: collateral('+', '-') },
};
const WITH_VALUE: readonly ChangeName[] = ['claim', 'fiatSent', 'settle'];

/** More SQL over the changed order `o`, in the same transaction. */
interface MoreSql {
  /** An expression. */
  also?: string;
  /** A common table expression, with a comma at its end. */
  effect?: string;
}

function statementOf(change: ChangeName, more: MoreSql = {}): Statement {
  const { set = '', where = '', effect = '' } = CHANGE_SQL[change];
  const { from, to } = CHANGES[change];
  const text = `
    with o as (
      update bench_order set status = '${to}', version = version + 1 ${set}
      where id = $1 and status = '${from}' ${where}
      returning *
    ),
    ${effect}
    ${more.effect ?? ''}
    event as (
      insert into bench_event (request_id, order_id, version, change, result)
      select $2, o.id, o.version, '${change}', 'done' from o
    )
    select ${more.also ?? 'null'} as also from o`;
  return { name: `bench-${change}`, text };
}

/** A statement for each change. */
export const statements = (of: (change: ChangeName) => MoreSql): Record<ChangeName, Statement> =>
  Object.fromEntries(
    (Object.keys(CHANGES) as ChangeName[]).map((change) => [change, statementOf(change, of(change))]),
  ) as Record<ChangeName, Statement>;

export const PLAIN = statements(() => ({}));

/** Each change also writes a row of a ledger. */
export const WITH_LEDGER = statements((change) => ({
  effect: `ledger as (
      insert into bench_ledger (order_id, change, amount_usd) select o.id, '${change}', o.amount_usd from o
    ),`,
}));

/** Performs a change once. A repetition of the same request returns the first answer. */
export async function carryOut(
  pool: pg.Pool,
  orderId: number,
  { id, change, value }: ChangeRequest,
  all: Record<ChangeName, Statement> = PLAIN,
): Promise<Answer> {
  const values = [orderId, id, ...(WITH_VALUE.includes(change) ? [value] : [])];
  try {
    const { rowCount } = await pool.query({ ...all[change], values });
    if (rowCount === 1) return 'done';
  } catch (error) {
    const constraint = error instanceof pg.DatabaseError ? error.constraint : undefined;
    if (constraint === 'bench_lp_available_not_negative' || constraint === 'bench_order_tx_hash_once')
      return 'refused';
    // A concurrent run of the same request has just written its event.
    if (constraint !== 'bench_event_pkey') throw error;
  }
  return (await answerTo(pool, id)) ?? 'refused';
}

/** The recorded answer to a request; undefined if none is recorded yet. */
export async function answerTo(pool: pg.Pool, requestId: string): Promise<Answer | undefined> {
  const { rows } = await pool.query<{ result: Answer }>({
    name: 'bench-answer',
    text: 'select result from bench_event where request_id = $1',
    values: [requestId],
  });
  return rows[0]?.result;
}

/** Records a refusal for the handler that polls for the answer. Keeps an answer that is already recorded. */
export async function recordRefusal(
  pool: pg.Pool,
  orderId: number,
  { id, change }: ChangeRequest,
): Promise<void> {
  await pool.query({
    name: 'bench-refusal',
    text: `insert into bench_event (request_id, order_id, change, result) values ($1, $2, $3, 'refused')
           on conflict (request_id) do nothing`,
    values: [id, orderId, change],
  });
}

export async function insertOrder(
  pool: pg.Pool,
  amountUsd: string,
  callbackUrl: string | null,
): Promise<number> {
  const { rows } = await pool.query<{ order_id: string }>({
    name: 'bench-create',
    text: `
      with o as (insert into bench_order (amount_usd, callback_url) values ($1, $2) returning id, version)
      insert into bench_event (request_id, order_id, version, change, result)
      select 'create/' || o.id, o.id, o.version, 'create', 'done' from o
      returning order_id`,
    values: [amountUsd, callbackUrl],
  });
  return Number(rows[0]?.order_id);
}

export async function statusOf(pool: pg.Pool, orderId: number): Promise<string | undefined> {
  const { rows } = await pool.query<{ status: string }>({
    name: 'bench-status',
    text: 'select status from bench_order where id = $1',
    values: [orderId],
  });
  return rows[0]?.status;
}

/** Looks for the order's transaction on the simulated chain once. Rejects if it is missing. */
export async function verifyPayment(pool: pg.Pool, orderId: number): Promise<void> {
  const { rowCount } = await pool.query({
    name: 'bench-verify',
    text: `select from bench_order o join bench_transaction t on t.tx_hash = o.tx_hash
           where o.id = $1 and t.amount_usd >= o.amount_usd`,
    values: [orderId],
  });
  if (rowCount !== 1) throw new Error(`The payment of order ${orderId} has not arrived yet`);
}

export async function insertTransaction(pool: pg.Pool, txHash: string, amountUsd: string): Promise<void> {
  await pool.query({
    name: 'bench-transaction',
    text: 'insert into bench_transaction (tx_hash, amount_usd) values ($1, $2)',
    values: [txHash, amountUsd],
  });
}
