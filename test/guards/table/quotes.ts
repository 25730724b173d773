import type { Guard } from '../guard.ts';

const BEST_OFFER = 'src/market/pricing/best-offer.ts';
const RATE_MARKET = 'src/market/lps/rate-market.ts';
const ATTACKS = 'test/attacks/quotes.test.ts';
const ANSWERS = 'src/market/lps/answers-for-quote.ts';
const HISTORY = 'test/api/lp-history.test.ts';
const IMPLAUSIBLE = 'test/attacks/implausible-rates.test.ts';
const UNCLAIMED = 'test/db/unclaimed-quotes.test.ts';

/** Which LP is quoted. No LP must claim at a quote, so the quoted LP must be able to honour it. */
export const QUOTE_GUARDS: readonly Guard[] = [
  {
    name: 'auto-claim: a rate above the order’s does not rank before others',
    file: 'src/market/lps/auto-claims.ts',
    text: "'least(rate.rate_usd, o.rate_usd)'",
    without: "'rate.rate_usd'",
    attack: { file: 'test/db/lp-ranking.test.ts', name: 'is not tried before others in auto-claims' },
  },
  {
    name: 'quote: an order of an expired agent key does not count against its LP',
    file: ANSWERS,
    text: ' and ${agentKeyIsValid(o)}',
    without: '',
    attack: { file: UNCLAIMED, name: 'because the agent’s key had expired' },
  },
  {
    name: 'record: a dispute that cost the LP collateral counts',
    file: 'src/market/lps/refresh-statistics.ts',
    text: 'o.slashed_usd > 0',
    without: 'o.slashed_usd < 0',
    attack: { file: 'test/db/lp-statistics.test.ts', name: 'match the orders, for any batch size' },
  },
  {
    name: 'quote: after a pause, the price from before it is not used',
    file: 'src/adapters/prices-http.ts',
    text: 'if (wasIdle || !usable())',
    without: 'if (!usable())',
    attack: { file: 'test/api/prices.test.ts', name: 'after a pause, a reader waits for new prices' },
  },
  {
    name: 'quote: the LP has collateral for the order',
    file: BEST_OFFER,
    text: "    and collateral.available >= ${requiredCollateral(AMOUNT_USD, 'lp.tier')}",
    without: '',
    attack: { file: ATTACKS, name: 'with too little collateral, however many such LPs there are' },
  },
  {
    name: 'quote: the LP has an address for the token',
    file: BEST_OFFER,
    text: '  join lp_asset asset on',
    without: '  left join lp_asset asset on',
    attack: { file: ATTACKS, name: 'without an address for the token' },
  },
  {
    name: 'quote: the LP does not cool down',
    file: BEST_OFFER,
    text: " and lp.id not in (${coolingLps('$strikeCoolDown')})",
    without: '',
    attack: { file: 'test/api/strikes.test.ts', name: 'leaves the quotes to the other LPs' },
  },
  {
    name: 'quote: among many LPs, no rate is quoted that nothing judges',
    file: BEST_OFFER,
    text: "offers('false')",
    without: "offers('true')",
    attack: { file: 'test/db/offer-search.test.ts', name: 'a reference applies' },
  },
  {
    name: 'quote: among many LPs, those that tie are all looked at',
    file: 'src/market/pricing/offer-search.ts',
    text: 'place < next.place || found.covers_most',
    without: 'place <= next.place',
    attack: { file: 'test/db/offer-search.test.ts', name: 'many LPs at one price' },
  },
  {
    name: 'quote: the LP is approved',
    file: BEST_OFFER,
    text: " and lp.status = 'approved'",
    without: '',
    attack: { file: 'test/api/lps.test.ts', name: 'an LP that is not approved is not quoted' },
  },
  {
    name: 'quote: a rate far above the median',
    file: BEST_OFFER,
    text: 'rate.rate_usd <= market.highest_rate',
    without: 'true',
    attack: { file: IMPLAUSIBLE, name: 'three of which are enough' },
  },
  {
    name: 'quote: collateral at the rate of the other LP',
    file: BEST_OFFER,
    text: "not ${isInDoubt('compared', BPS, amountUsd)}",
    without: 'true',
    attack: { file: ATTACKS, name: 'beside an honest LP' },
  },
  {
    name: 'quote: collateral weighs the median',
    file: RATE_MARKET,
    text: 'collateral.available + collateral.locked as backing',
    without: 'sign(collateral.available + collateral.locked) as backing',
    attack: { file: ATTACKS, name: 'with many more LPs of the same stranger that agree' },
  },
  {
    name: 'quote: no LP is excluded by strangers’ rates',
    file: RATE_MARKET,
    text: 'collateral.available + collateral.locked as backing',
    without: 'sign(collateral.available + collateral.locked) as backing',
    attack: { file: ATTACKS, name: 'do not exclude the better rate of an honest LP' },
  },
  {
    name: 'quote: a price judges the rates that were published without one',
    file: BEST_OFFER,
    text: "${isNearReference('rate.rate_usd', 'reference')}",
    without: 'true',
    attack: { file: 'test/attacks/price-outage.test.ts', name: 'are checked once it is back' },
  },
  {
    name: 'quote: an LP in a corridor of its own is compared with the currency',
    file: RATE_MARKET,
    text: 'where term.currency = ${currency} and term.quoting',
    without: 'where term.currency = ${currency} and term.method = ${method} and term.quoting',
    attack: { file: IMPLAUSIBLE, name: 'three of which are enough' },
  },
  {
    name: 'quote: a lifted median lifts no quote',
    file: BEST_OFFER,
    text: '${ranking(AMOUNT_USD, IS_PREFERRED)}',
    without: '${ranking(AMOUNT_USD)}',
    attack: { file: IMPLAUSIBLE, name: 'LPs with nearly half of the collateral' },
  },
  {
    name: 'quote: an LP with a record is not excluded by a dear newcomer',
    file: RATE_MARKET,
    text: 'or record.recent_completed <= coalesce(theirs.recent_completed, 0)',
    without: 'or true',
    attack: { file: IMPLAUSIBLE, name: 'an honest LP with a record is not excluded' },
  },
  {
    name: 'quote: a few orders are no record',
    file: RATE_MARKET,
    text: 'coalesce(record.recent_completed, 0) < ${MIN_RECORD}',
    without: 'coalesce(record.recent_completed, 0) < 1',
    attack: { file: IMPLAUSIBLE, name: 'a few orders are no record' },
  },
  {
    name: 'quote: an LP that leaves its quotes ranks last',
    file: 'src/market/lps/ranking.ts',
    text: "'coalesce(record.ranks_last_until > now(), false)'",
    without: "'(lp.id is null)'",
    attack: { file: IMPLAUSIBLE, name: 'ranks behind every other LP' },
  },
  {
    name: 'rate lock: some LP could claim its order',
    file: 'src/market/pricing/rate-locks.ts',
    text: "if (!lock.is_claimable) throw new DomainError('no_lp_available');",
    without: '',
    attack: { file: 'test/api/rate-lock-lps.test.ts', name: 'so the lock is good for other LPs' },
  },
  {
    name: 'quote: no LP loses rank for an order that its float no longer covers',
    file: ANSWERS,
    text: " or (${isOfferedUnder('term', o)}))",
    without: " or true or (${isOfferedUnder('term', o)}))",
    attack: { file: UNCLAIMED, name: 'because its float was for one of twenty, and it claimed that' },
  },
  {
    name: 'quote: no LP loses rank for an order that Corridor does not offer it',
    file: ANSWERS,
    text: "or (${isOfferedUnder('term', o)}))",
    without: "or (${isOfferedUnder('term', o)} or not term.quoting))",
    attack: {
      file: UNCLAIMED,
      name: 'before the payment with a rate lock',
    },
  },
  {
    name: 'quote: an LP that stops quoting a currency answers for its quotes',
    file: 'src/market/lps/publish-terms.ts',
    text: 'narrowed_at = case when lp_term.quoting and not $quoting then now()',
    without: 'narrowed_at = case when lp_term.quoting and not $quoting then null',
    attack: { file: UNCLAIMED, name: 'if it stops quoting the whole currency' },
  },
  {
    name: 'quote: an LP answers for it also after it has limited its terms',
    file: ANSWERS,
    text: 'term.narrowed_at >= ${o}.created_at or ',
    without: '',
    attack: { file: UNCLAIMED, name: 'an LP cannot get out of an order by what it changes' },
  },
  {
    name: 'quote: an LP answers for it also after it has asked for its collateral',
    file: ANSWERS,
    text: "status <> 'rejected' and created_at >= ${o}.created_at",
    without: 'false',
    attack: { file: UNCLAIMED, name: 'if it withdraws its collateral' },
  },
  {
    name: 'quote: terms that the LP limits are marked',
    file: 'src/market/lps/publish-terms.ts',
    text: 'narrowed_at = case when ${NARROWS} then now()',
    without: 'narrowed_at = case when ${NARROWS} then null',
    attack: { file: UNCLAIMED, name: 'an LP cannot get out of an order by what it changes' },
  },
  {
    name: 'offer: it promises no profit to an LP without a rate',
    file: 'src/domain/offer-view.ts',
    text: 'ownRate === null ? null : profitAt(ownRate);',
    without: 'profitAt(ownRate ?? (Number(row.amount_fiat) / Number(row.amount_usd)).toFixed(8));',
    attack: {
      file: 'test/unit/offer-view.test.ts',
      name: 'nobody knows what without a rate of the LP’s own',
    },
  },
  {
    name: 'history: what an LP has earned stays',
    file: 'src/orders/steps/claim.ts',
    text: 'and priced.rate_until > now()',
    without: 'and priced.rate_until is null',
    attack: { file: HISTORY, name: 'earnings at its rates of the claims' },
  },
];
