import type { Database } from '../../db/orm.ts';
import { type Holding, NO_SHORTAGE, type Owed, type Shortage } from '../../domain/reserves.ts';

/** A comparison of the reserves. One worker makes it, and all processes report it. */
export interface ReserveCheck {
  /** When the books were read. */
  at: Date;
  owed: Owed;
  holdings: Holding[];
  shortage: Shortage;
  /** False: a later comparison is overdue, so the result is unknown. */
  recent: boolean;
}

/** The books at one moment. Amounts are decimal strings in USD. */
export interface Books {
  /** By the database's clock. */
  at: Date;
  balances: Owed;
  /** Confirmed deposits less payouts. */
  booked: { chain: string; asset: string; amount: string }[];
}

const BOOKS = `
  select now() as at,
    (select json_build_object(
      'total', coalesce(sum(available + locked + withdrawing), 0)::text, 'withdrawing', coalesce(sum(withdrawing), 0)::text
    ) from lp_collateral) as balances,
    (select coalesce(json_agg(json_build_object('chain', chain, 'asset', asset, 'amount', amount::text)), '[]') from (
      select chain, asset, sum(amount) as amount from (
        select chain, asset, amount from collateral_deposit where status = 'confirmed'
        union all select chain, asset, -amount from collateral_withdrawal where status = 'paid'
      ) move group by chain, asset
    ) booked) as booked`;

/** Reads balances, deposits and payouts in one snapshot. */
export async function readBooks(db: Database): Promise<Books> {
  const [row] = await db.query<{ at: string } & Omit<Books, 'at'>>('reserve-books', BOOKS, []);
  if (!row) throw new Error('A statement without FROM gave no row');
  return { ...row, at: new Date(row.at) };
}

const IS_DUE = `
  select not exists (
    select from reserve_check where checked_at > now() - $1::float8 * interval '1 ms' and checked_at <= now()
  ) as due`;

/** Whether no worker has compared the reserves for this many milliseconds. */
export async function isReserveCheckDue(db: Database, interval: number): Promise<boolean> {
  const [row] = await db.query<{ due: boolean }>('reserve-check-due', IS_DUE, [interval]);
  return row?.due ?? true;
}

const RECORD = `
  insert into reserve_check
    (id, checked_at, good_until, owed, withdrawing, holdings, missing_since, unexplained_since)
  values (1, $1, now() + $2::float8 * interval '1 ms', $3, $4, $5, $6, $7)
  on conflict (id) do update set checked_at = excluded.checked_at, good_until = excluded.good_until, owed = excluded.owed,
    withdrawing = excluded.withdrawing, holdings = excluded.holdings, missing_since = excluded.missing_since,
    unexplained_since = excluded.unexplained_since`;

/** `goodFor`: milliseconds within which the next comparison must follow. */
export async function recordReserveCheck(
  db: Database,
  { at, owed, holdings, shortage }: Omit<ReserveCheck, 'recent'>,
  goodFor: number,
): Promise<void> {
  const { missingSince, unexplainedSince } = shortage;
  await db.query('reserve-check-record', RECORD, [
    ...[at, goodFor, owed.total, owed.withdrawing, JSON.stringify(holdings)],
    ...[missingSince, unexplainedSince],
  ]);
}

/** Deletes the last comparison, because nothing is compared now. */
export const forgetReserveCheck = async (db: Database): Promise<void> =>
  void (await db.query('reserve-check-forget', 'delete from reserve_check', []));

const READ = `
  select checked_at as at, trim_scale(owed)::text as total, trim_scale(withdrawing)::text as withdrawing, holdings,
    missing_since, unexplained_since, good_until > now() as recent
  from reserve_check`;

interface Row {
  at: string;
  total: string;
  withdrawing: string;
  holdings: Holding[];
  missing_since: string | null;
  unexplained_since: string | null;
  recent: boolean;
}

/** The last comparison. Undefined: nothing has been compared. */
export async function lastReserveCheck(db: Database): Promise<ReserveCheck | undefined> {
  const [row] = await db.query<Row>('reserve-check', READ, []);
  if (!row) return undefined;
  const { at, total, withdrawing, holdings, missing_since, unexplained_since, recent } = row;
  const time = (text: string | null) => (text === null ? null : new Date(text));
  return {
    at: new Date(at),
    owed: { total, withdrawing },
    holdings,
    shortage: row.missing_since
      ? { missingSince: time(missing_since), unexplainedSince: time(unexplained_since) }
      : NO_SHORTAGE,
    recent,
  };
}
