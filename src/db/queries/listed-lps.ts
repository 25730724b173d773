import type { ListedLp } from '../../contract/admin-lps.ts';
import { type Lp, LpCollateral, LpRate } from '../entities/lp.ts';
import type { Database } from '../orm.ts';

/** LPs with their rates and collateral, in the order given: two reads, however many they are. */
export async function listedLps(db: Database, lps: Lp[]): Promise<ListedLp[]> {
  const lp_id = { $in: lps.map(({ id }) => id) };
  const em = db.em();
  const rates = await em.find(LpRate, { lp_id }, { orderBy: { currency: 'asc' } });
  const collateral = await em.find(LpCollateral, { lp_id });
  return lps.map((lp) => {
    const balance = collateral.find((account) => account.lp_id === lp.id);
    return {
      id: lp.id,
      display_name: lp.display_name,
      status: lp.status,
      tier: lp.tier,
      spread_bps: lp.spread_bps,
      strikes: lp.strikes,
      xrpl_address: lp.xrpl_address,
      user_id: lp.user_id,
      created_at: lp.created_at.toISOString(),
      rates: rates
        .filter((rate) => rate.lp_id === lp.id)
        .map(({ currency, rate_usd }) => ({ currency, rate_usd: Number(rate_usd) })),
      collateral_available: Number(balance?.available ?? 0),
      collateral_locked: Number(balance?.locked ?? 0),
    };
  });
}
