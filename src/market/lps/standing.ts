import type { Database } from '../../db/orm.ts';
import { strikesOf } from './cool-down.ts';

/** An LP's track record. */
export interface LpStanding {
  /** Since the LP registered. */
  orders_completed: number;
  /** Share of completed orders among the LP's recent outcomes; the others are failed claims. Null before the first. */
  completion_rate: number | null;
  /** From the claim to the fiat, over the LP's recent completed orders; null before the first. */
  median_fiat_seconds: number | null;
  /**
   * Orders that were quoted from the LP and expired unclaimed, among the last orders that it claimed or left unclaimed.
   */
  unclaimed_quotes: number;
  /** Strikes that still count. */
  strikes: number;
  /** ISO 8601; null if the LP is not cooling down. */
  cooling_down_until: string | null;
}

interface StandingRow extends Omit<LpStanding, 'completion_rate'> {
  lp_id: number;
  recent_completed: number;
  recent_failed_claims: number;
}

const STANDINGS = `
  select lp.lp_id, coalesce(record.orders_completed, 0) as orders_completed, record.median_fiat_seconds,
    coalesce(record.recent_unclaimed, 0) as unclaimed_quotes, coalesce(record.recent_completed, 0) as recent_completed, coalesce(record.recent_failed_claims, 0) as recent_failed_claims,
    struck.strikes, case when struck.cooling_until > now() then struck.cooling_until end as cooling_down_until
  from unnest($1::bigint[]) lp(lp_id)
  left join lp_statistics record on record.lp_id = lp.lp_id
  cross join lateral (${strikesOf('lp.lp_id', '$2')}) struck`;

/** The standings of LPs, by their ids. `coolDownMs`: the first cool-down after a strike. */
export async function lpStandings(
  db: Database,
  lpIds: number[],
  coolDownMs: number,
): Promise<Map<number, LpStanding>> {
  const rows = await db.query<StandingRow>('lp-standings', STANDINGS, [lpIds, coolDownMs]);
  return new Map(rows.map((row) => [row.lp_id, standing(row)]));
}

/** The standing of an LP among those that `lpStandings` returned. */
export function standingOf(standings: Map<number, LpStanding>, lpId: number): LpStanding {
  const found = standings.get(lpId);
  if (!found) throw new Error(`The standing of LP ${lpId} was not loaded`);
  return found;
}

function standing(row: StandingRow): LpStanding {
  const outcomes = row.recent_completed + row.recent_failed_claims;
  return {
    orders_completed: row.orders_completed,
    completion_rate: outcomes === 0 ? null : Number((row.recent_completed / outcomes).toFixed(4)),
    median_fiat_seconds: row.median_fiat_seconds,
    unclaimed_quotes: row.unclaimed_quotes,
    strikes: row.strikes,
    cooling_down_until: row.cooling_down_until && new Date(row.cooling_down_until).toISOString(),
  };
}
