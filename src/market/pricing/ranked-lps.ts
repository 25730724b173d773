import type { Database } from '../../db/orm.ts';
import { run, statement } from '../../db/statement.ts';
import { RANKING_BY_RECORD, rankingByPrice } from '../lps/ranking.ts';
import {
  IS_PREFERRED,
  isPlausible,
  type JudgedRates,
  type OfferRequest,
  type OfferSettings,
  SERVING_LPS,
  WITH_MARKET,
} from './best-offer.ts';

/** A corridor's LPs that take a token, as they rank for an order that all of them can take. */
export interface RankedLps {
  judged: JudgedRates;
  /** The best first. `place`: LPs with the same price share one; these are sorted by their records. */
  lps: { lp_id: number; place: number }[];
}

/** No rows if there is neither a reference nor enough LPs to compare. */
const RANKED = statement(
  'ranked-lps',
  `
  ${WITH_MARKET}
  select lp.id as lp_id, dense_rank() over (order by ${rankingByPrice(IS_PREFERRED)})::int as place,
    market.highest_rate, market.preferred_from, market.preferred_to
  ${SERVING_LPS}
    and ${isPlausible('false')}
  order by place, ${RANKING_BY_RECORD}`,
);

/** Reads the ranking of a corridor's LPs, at a cost that grows with their number. */
export async function rankLps(
  db: Database,
  { currency, method, symbol, chain }: OfferRequest,
  { strikeCoolDown, rateOutlierBps }: OfferSettings,
): Promise<RankedLps> {
  const given = { currency, method, symbol, chain, strikeCoolDown, rateOutlierBps };
  const rows = await run<RankedLps['lps'][number] & JudgedRates>(db, RANKED, given);
  const { highest_rate = null, preferred_from = null, preferred_to = null } = rows[0] ?? {};
  return {
    judged: { highest_rate, preferred_from, preferred_to },
    lps: rows.map(({ lp_id, place }) => ({ lp_id, place })),
  };
}
