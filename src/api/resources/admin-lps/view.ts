import { type Lp, LpCollateral } from '../../../db/entities/lp.ts';
import type { Database } from '../../../db/orm.ts';
import { lpStandings, standingOf } from '../../../market/lps/standing.ts';
import { termsOf } from '../../../market/lps/terms.ts';
import { termsView } from '../lp-terms/view.ts';
import type { ListedLp } from './schemas.ts';

/**
 * The admins' view of LPs, in the given order. Three queries read the terms, collateral and standing of all of them.
 */
export async function adminLpViews(db: Database, lps: Lp[], coolDownMs: number): Promise<ListedLp[]> {
  const ids = lps.map(({ id }) => id);
  const lp_id = { $in: ids };
  const em = db.em();
  const terms = await termsOf(db, ids);
  const collateral = await em.find(LpCollateral, { lp_id });
  const standings = await lpStandings(db, ids, coolDownMs);
  return lps.map((lp) => {
    const balance = collateral.find((account) => account.lp_id === lp.id);
    return {
      id: lp.id,
      display_name: lp.display_name,
      status: lp.status,
      tier: lp.tier,
      spread_bps: lp.spread_bps,
      ...standingOf(standings, lp.id),
      xrpl_address: lp.xrpl_address,
      user_id: lp.user_id,
      created_at: lp.created_at.toISOString(),
      rates: terms.filter(({ lp_id }) => lp_id === lp.id).map(termsView),
      collateral_available: Number(balance?.available ?? 0),
      collateral_locked: Number(balance?.locked ?? 0),
    };
  });
}
