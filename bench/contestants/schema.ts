import pg from 'pg';
import { type Answer, CHANGES, type ChangeName, type ChangeRequest } from './changes.ts';

/**
 * The rows that all contestants keep, and the statements that change them: the same for all, so that only what is
 * around them differs. One statement carries a change out, and so one transaction and one round trip: the order (only
 * when it is where the change begins), the collateral, the event under the request's id.
 */
const TABLES = `
  create table if not exists bench_lp (
    id bigint generated always as identity primary key,
    available numeric(18, 6) not null constraint bench_lp_available_not_negative check (available >= 0),
    locked numeric(18, 6) not null default 0 check (locked >= 0)
  );
  create table if not exists bench_key (
    key_hash bytea primary key,
    -- Whose key it is; null: the agent's.
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
    created_at timestamptz not null default now()
  );
  create table if not exists bench_event (
    request_id text constraint bench_event_pkey primary key,
    order_id bigint not null references bench_order,
    -- The order's, after the change; null where it was refused.
    version integer,
    change text not null,
    result text not null,
    created_at timestamptz not null default now(),
    unique (order_id, version)
  );
  create table if not exists bench_transaction (
    tx_hash text primary key,
    amount_usd numeric(18, 6) not null
  );`;

/** Tables may be made by several processes at once. */
const TABLES_LOCK = 7_266_002;

export async function createTables(pool: pg.Pool): Promise<void> {
  // Sent together, the statements are one transaction.
  await pool.query(`select pg_advisory_xact_lock(${TABLES_LOCK}); ${TABLES}`);
}

/** The pool of one process, with the same size and patience as Corridor's. */
export function openPool(databaseUrl: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 20,
    connectionTimeoutMillis: 2_500,
    query_timeout: 4_000,
    keepAlive: true,
  });
  // The pool replaces a connection that is lost; the query that it was used for fails by itself.
  const tell = (error: Error) => console.error('a connection was lost:', error.message);
  pool.on('error', tell).on('connect', (client) => client.on('error', tell));
  return pool;
}

/** A statement that each connection prepares once; $1: the order, $2: the request, $3: its value where it has one. */
export interface Statement {
  name: string;
  text: string;
}

/** What one change does besides moving the order. */
interface Particulars {
  /** Begins with a comma. */
  set?: string;
  where?: string;
  effect?: string;
}

/** Moves so much of the LP's collateral. Below zero it breaks a CHECK, and with it the whole statement. */
const collateral = (available: string, locked: string) =>
  `collateral as (
    update bench_lp l set available = l.available ${available} o.collateral_usd, locked = l.locked ${locked} o.collateral_usd
    from o where l.id = o.lp_id
  ),`;

const PARTICULARS: Record<ChangeName, Particulars> = {
  claim: { set: ', lp_id = $3, collateral_usd = amount_usd', effect: collateral('-', '+') },
  fiatSent: { where: 'and lp_id = $3' },
  confirm: {},
  settle: { set: ', tx_hash = $3' },
  complete: { effect: collateral('+', '-') },
};
const WITH_VALUE: readonly ChangeName[] = ['claim', 'fiatSent', 'settle'];

/** `also`: what is done in the same transaction for the order that was changed, an SQL expression over `o`. */
export function statementOf(change: ChangeName, also = 'null'): Statement {
  const { set = '', where = '', effect = '' } = PARTICULARS[change];
  const { from, to } = CHANGES[change];
  const text = `
    with o as (
      update bench_order set status = '${to}', version = version + 1 ${set}
      where id = $1 and status = '${from}' ${where}
      returning *
    ),
    ${effect}
    event as (
      insert into bench_event (request_id, order_id, version, change, result)
      select $2, o.id, o.version, '${change}', 'done' from o
    )
    select ${also} as also from o`;
  return { name: `bench-${change}`, text };
}

const STATEMENTS = Object.fromEntries(
  (Object.keys(CHANGES) as ChangeName[]).map((change) => [change, statementOf(change)]),
) as Record<ChangeName, Statement>;

/** Carries a change out, once: repeated under the same request it is answered as the first time. */
export async function carryOut(
  pool: pg.Pool,
  orderId: number,
  { id, change, value }: ChangeRequest,
  statement: Statement = STATEMENTS[change],
): Promise<Answer> {
  const values = [orderId, id, ...(WITH_VALUE.includes(change) ? [value] : [])];
  try {
    const { rowCount } = await pool.query({ ...statement, values });
    if (rowCount === 1) return 'done';
  } catch (error) {
    const constraint = error instanceof pg.DatabaseError ? error.constraint : undefined;
    if (constraint === 'bench_lp_available_not_negative' || constraint === 'bench_order_tx_hash_once')
      return 'refused';
    // Two runs of one request at once: the second meets what the first has just written.
    if (constraint !== 'bench_event_pkey') throw error;
  }
  return (await answerTo(pool, id)) ?? 'refused';
}

/** What was recorded under a request; undefined while nothing is. */
export async function answerTo(pool: pg.Pool, requestId: string): Promise<Answer | undefined> {
  const { rows } = await pool.query<{ result: Answer }>({
    name: 'bench-answer',
    text: 'select result from bench_event where request_id = $1',
    values: [requestId],
  });
  return rows[0]?.result;
}

/** Leaves a refusal where whoever polls for the answer finds it. The first answer stays. */
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

export async function insertOrder(pool: pg.Pool, amountUsd: string): Promise<number> {
  const { rows } = await pool.query<{ order_id: string }>({
    name: 'bench-create',
    text: `
      with o as (insert into bench_order (amount_usd) values ($1) returning id, version)
      insert into bench_event (request_id, order_id, version, change, result)
      select 'create/' || o.id, o.id, o.version, 'create', 'done' from o
      returning order_id`,
    values: [amountUsd],
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

/** Looks for the order's transaction on the simulated chain: one look, rejecting while it is not there. */
export async function verifyPayment(pool: pg.Pool, orderId: number): Promise<void> {
  const { rowCount } = await pool.query({
    name: 'bench-verify',
    text: `select from bench_order o join bench_transaction t on t.tx_hash = o.tx_hash
           where o.id = $1 and t.amount_usd >= o.amount_usd`,
    values: [orderId],
  });
  if (rowCount !== 1) throw new Error(`The payment of order ${orderId} is not there yet`);
}

export async function insertTransaction(pool: pg.Pool, txHash: string, amountUsd: string): Promise<void> {
  await pool.query({
    name: 'bench-transaction',
    text: 'insert into bench_transaction (tx_hash, amount_usd) values ($1, $2)',
    values: [txHash, amountUsd],
  });
}
