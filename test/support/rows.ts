import type { Database } from '../../src/db/orm.ts';

/** Inserts rows directly, for tests of queries over many rows. */

/** An agent key with a user; orders belong to them. */
export async function insertAgent({ pool }: Database): Promise<{ agentKeyId: number; userId: number }> {
  const { rows } = await pool.query(`
    with payer as (insert into app_user (name) values ('payer') returning id),
    agent as (
      insert into agent_key (key_hash, max_exposure_usd) values (sha256(gen_random_uuid()::text::bytea), 0)
      returning id
    )
    select agent.id as "agentKeyId", payer.id as "userId" from agent, payer`);
  return rows[0];
}

export interface LpRow {
  status?: string;
  tier?: number;
  spreadBps?: number;
  /** Available collateral, USD. */
  available?: number;
}

export async function insertLp({ pool }: Database, lp: LpRow = {}): Promise<number> {
  const { status = 'approved', tier = 0, spreadBps = 0, available = 1_000 } = lp;
  const { rows } = await pool.query(
    `with person as (insert into app_user (name) values ('lp') returning id),
    made as (
      insert into lp (key_hash, user_id, xrpl_address, mpesa_phone, display_name, status, tier, spread_bps)
      select sha256(gen_random_uuid()::text::bytea), id, 'r', '1', 'LP', $1, $2, $3 from person returning id
    ),
    account as (insert into lp_collateral (lp_id, available) select id, $4 from made)
    select id from made`,
    [status, tier, spreadBps, available],
  );
  return rows[0].id;
}

/** Terms of an LP that hold for a day. */
export const insertTerms = (
  { pool }: Database,
  lpId: number,
  currency: string,
  rate: number,
  method = 'mobile_money',
) =>
  pool.query(
    `insert into lp_term (lp_id, currency, method, rate_usd, valid_until)
    values ($1, $2, $4, $3, now() + interval '1 day')`,
    [lpId, currency, rate, method],
  );

/** An LP that could claim the orders of `insertOrder` in these currencies. */
export async function insertAbleLp(db: Database, ...currencies: string[]): Promise<number> {
  const id = await insertLp(db);
  for (const currency of currencies) await insertTerms(db, id, currency, 100);
  const sql = `insert into lp_asset (lp_id, symbol, chain, address) values ($1::bigint, 'usdt', 'trx', 'T' || $1::bigint)`;
  await db.pool.query(sql, [id]);
  return id;
}

export interface OrderRow {
  agentKeyId: number;
  userId: number;
  currency?: string;
  amountUsd?: number;
  lpId?: number | null;
}

/** An open order in usdt on trx. */
export async function insertOrder({ pool }: Database, order: OrderRow): Promise<number> {
  const { agentKeyId, userId, currency = 'KES', amountUsd = 10, lpId = null } = order;
  const { rows } = await pool.query(
    `insert into orders (payment_id, agent_key_id, user_id, lp_id, amount_fiat, currency, rate_usd, spread_bps,
      amount_usd, fee_usd, amount_crypto, crypto_symbol, crypto_chain, recipient, method, corridor_method, status, expires_at, timeout_at,
      stage_ms)
    values (gen_random_uuid()::text, $1, $2, $3, $5::numeric * 100, $4, 100, 0, $5, 0,
      $5 + (select count(*) from orders) / 1000000.0, 'usdt', 'trx', 'r', 'mobile_money', 'mobile_money',
      'matched', now() + interval '1 hour', now() + interval '1 hour', array[900000, 600000, 600000, 600000, 600000])
    returning id`,
    [agentKeyId, userId, lpId, currency, amountUsd],
  );
  return rows[0].id;
}

/** The names of a table's columns that a statement may fill, without these, as a list for it. */
export async function columnsOf(
  { pool }: Pick<Database, 'pool'>,
  table: string,
  without: string[],
): Promise<string> {
  const { rows } = await pool.query(
    `select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns
     where table_catalog = current_database() and table_name = $1 and is_generated = 'NEVER'
       and column_name <> all ($2)`,
    [table, without],
  );
  return rows[0].names;
}
