import { chainIncidents, corridorIncidents } from '../../db/incidents.ts';
import type { Database } from '../../db/orm.ts';
import { coolingLps } from '../lps/cool-down.ts';
import { isNearReference, referencePrice } from '../lps/rate-market.ts';
import { requiredCollateral } from '../lps/required-collateral.ts';
import { takesAmount } from '../lps/serves-order.ts';
import type { Corridors } from './load.ts';

/**
 * The smallest order of the corridor that the LP takes, and its USD value at the LP's own rate, rounded like `quote`.
 */
const AMOUNT = 'greatest(wanted.amount, rate.min_fiat)';
const AMOUNT_USD = `ceil(${AMOUNT} / rate.rate_usd * 1000000) / 1000000`;

const AVAILABLE = `
  with cooling as materialized (${coolingLps('$4')})
  select wanted.currency || ' ' || wanted.method as corridor
  from unnest($1::varchar[], $2::varchar[], $3::numeric[], $5::numeric[]) wanted (currency, method, amount, max)
  where not exists (
      select from pause where agent_key_id is null and (pause.currency is null or pause.currency = wanted.currency)
    )
    and not exists (${corridorIncidents({ currency: 'wanted.currency', method: 'wanted.method' })})
    and exists (
      select from lp_rate rate
      join lp on lp.id = rate.lp_id and lp.status = 'approved'
      join lp_collateral collateral on collateral.lp_id = lp.id
      where rate.currency = wanted.currency and rate.method = wanted.method and ${takesAmount('rate', AMOUNT)}
        and ${AMOUNT} <= wanted.max
        and not exists (
          select from (${referencePrice('wanted.currency')}) known where not ${isNearReference('rate.rate_usd', 'known')}
        )
        and lp.id not in (select lp_id from cooling)
        and exists (
          select from lp_asset asset where asset.lp_id = lp.id and not exists (${chainIncidents('asset.chain')})
        )
        and collateral.available >= ${requiredCollateral(AMOUNT_USD, 'lp.tier')}
    )`;

/**
 * Methods for which at least one LP could take an order now, written as `KES mobile_money`. Such an LP is approved and
 * not cooling down. Its terms hold now and take an order within the method's limits. Its rate is near the
 * reference, if there is one. It has an address for crypto on a
 * chain without an incident, and enough free collateral for the smallest such order. Payments are not paused, and the
 * method has no incident.
 * `coolDownMs`: the first cool-down after a strike.
 */
export async function findAvailable(
  db: Database,
  corridors: Corridors,
  coolDownMs: number,
): Promise<ReadonlySet<string>> {
  const wanted = [...corridors].flatMap(([currency, { methods }]) =>
    Object.entries(methods).map(([method, { min, max }]) => ({ currency, method, min, max })),
  );
  const rows = await db.query<{ corridor: string }>('corridors-available', AVAILABLE, [
    wanted.map(({ currency }) => currency),
    wanted.map(({ method }) => method),
    wanted.map(({ min }) => min),
    coolDownMs,
    wanted.map(({ max }) => max),
  ]);
  return new Set(rows.map(({ corridor }) => corridor));
}
