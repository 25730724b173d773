import { inFile } from '../guard.ts';

const UNCLAIMED = 'test/db/unclaimed-quotes.test.ts';
const BEST_OFFER = 'src/market/pricing/best-offer.ts';
const ATTACKS = 'test/attacks/quotes.test.ts';
const IMPLAUSIBLE = 'test/attacks/implausible-rates.test.ts';
const RATE_MARKET = 'src/market/lps/rate-market.ts';

/** Which LP is quoted. No LP must claim at a quote, so the quoted LP must be able to honour it. */
export const QUOTE_GUARDS = [
  ...inFile('src/market/lps/auto-claims.ts', 'test/db/lp-ranking.test.ts', [
    ['auto-claim: a rate above the order’s does not rank before others', "'least(term.rate_usd, orders.rate_usd)'",
      "'term.rate_usd'", 'is not tried before others in auto-claims']]),
  ...inFile('src/market/lps/answers-for-quote.ts', UNCLAIMED, [
    ['quote: an order of an expired agent key does not count against its LP', ' and ${agentKeyIsValid(o)}',
      '', 'because the agent’s key had expired'],
    ['quote: no LP loses rank for an order that its float no longer covers',
      " or (${isOfferedUnder('term', o)}))", " or true or (${isOfferedUnder('term', o)}))",
      'because its float was for one of twenty, and it claimed that'],
    ['quote: no LP loses rank for an order that Corridor does not offer it',
      "or (${isOfferedUnder('term', o)}))", "or (${isOfferedUnder('term', o)} or not term.quoting))",
      'before the payment with a rate lock'],
    ['quote: an LP answers for it also after it has limited its terms',
      'term.narrowed_at >= ${o}.created_at or ', '', 'an LP cannot get out of an order by what it changes'],
    ['quote: an LP answers for it also after it has asked for its collateral',
      "status <> 'rejected' and created_at >= ${o}.created_at", 'false', 'if it withdraws its collateral']]),
  ...inFile('src/market/lps/refresh-statistics.ts', 'test/db/lp-statistics.test.ts', [
    ['record: a dispute that cost the LP collateral counts', 'o.slashed_usd > 0', 'o.slashed_usd < 0',
      'match the orders, for any batch size']]),
  ...inFile('src/adapters/prices-http.ts', 'test/api/prices.test.ts', [
    ['quote: after a pause, the price from before it is not used', 'if (wasIdle || !usable())',
      'if (!usable())', 'after a pause, a reader waits for new prices']]),
  ...inFile(BEST_OFFER, ATTACKS, [
    ['quote: the LP has collateral for the order',
      "    and collateral.available >= ${requiredCollateral(AMOUNT_USD, 'lp.tier')}", '',
      'with too little collateral, however many such LPs there are'],
    ['quote: the LP has an address for the token', '  join lp_asset asset on',
      '  left join lp_asset asset on', 'without an address for the token'],
    ['quote: collateral at the rate of the other LP', "not ${isInDoubt('compared', BPS, amountUsd)}", 'true',
      'beside an honest LP']]),
  ...inFile(BEST_OFFER, 'test/api/strikes.test.ts', [
    ['quote: the LP does not cool down', " and lp.id not in (${coolingLps('$strikeCoolDown')})", '',
      'leaves the quotes to the other LPs']]),
  ...inFile(BEST_OFFER, 'test/db/offer-search.test.ts', [
    ['quote: among many LPs, no rate is quoted that nothing judges', "offers('false')", "offers('true')",
      'a reference applies']]),
  ...inFile('src/market/pricing/offer-search.ts', 'test/db/offer-search.test.ts', [
    ['quote: among many LPs, those that tie are all looked at', 'place < next.place || found.covers_most',
      'place <= next.place', 'many LPs at one price']]),
  ...inFile(BEST_OFFER, 'test/api/lps.test.ts', [
    ['quote: the LP is approved', " and lp.status = 'approved'", '',
      'an LP that is not approved is not quoted']]),
  ...inFile(BEST_OFFER, IMPLAUSIBLE, [
    ['quote: a rate far above the median', 'rate.rate_usd <= market.highest_rate', 'true',
      'three of which are enough'],
    ['quote: a lifted median lifts no quote', '${ranking(AMOUNT_USD, IS_PREFERRED)}',
      '${ranking(AMOUNT_USD)}', 'LPs with nearly half of the collateral']]),
  ...inFile(RATE_MARKET, ATTACKS, [
    ['quote: collateral weighs the median', 'collateral.available + collateral.locked as backing',
      'sign(collateral.available + collateral.locked) as backing',
      'with many more LPs of the same stranger that agree'],
    ['quote: no LP is excluded by strangers’ rates', 'collateral.available + collateral.locked as backing',
      'sign(collateral.available + collateral.locked) as backing',
      'do not exclude the better rate of an honest LP']]),
  ...inFile(BEST_OFFER, 'test/attacks/price-outage.test.ts', [
    ['quote: a price judges the rates that were published without one',
      "${isNearReference('rate.rate_usd', 'reference')}", 'true', 'are checked once it is back']]),
  ...inFile(RATE_MARKET, IMPLAUSIBLE, [
    ['quote: an LP in a corridor of its own is compared with the currency',
      'where term.currency = ${currency} and term.quoting',
      'where term.currency = ${currency} and term.method = ${method} and term.quoting',
      'three of which are enough'],
    ['quote: an LP with a record is not excluded by a dear newcomer',
      'or record.recent_completed <= coalesce(theirs.recent_completed, 0)', 'or true',
      'an honest LP with a record is not excluded'],
    ['quote: a few orders are no record', 'coalesce(record.recent_completed, 0) < ${MIN_RECORD}',
      'coalesce(record.recent_completed, 0) < 1', 'a few orders are no record']]),
  ...inFile('src/market/lps/ranking.ts', IMPLAUSIBLE, [
    ['quote: an LP that leaves its quotes ranks last', "'coalesce(record.ranks_last_until > now(), false)'",
      "'(lp.id is null)'", 'ranks behind every other LP']]),
  ...inFile('src/market/pricing/rate-locks.ts', 'test/api/rate-lock-lps.test.ts', [
    ['rate lock: some LP could claim its order',
      "if (!lock.is_claimable) throw new DomainError('no_lp_available');", '',
      'so the lock is good for other LPs']]),
  ...inFile('src/market/lps/publish-terms.ts', UNCLAIMED, [
    ['quote: an LP that stops quoting a currency answers for its quotes',
      'narrowed_at = case when lp_term.quoting and not $quoting then now()',
      'narrowed_at = case when lp_term.quoting and not $quoting then null',
      'if it stops quoting the whole currency'],
    ['quote: terms that the LP limits are marked', 'narrowed_at = case when ${NARROWS} then now()',
      'narrowed_at = case when ${NARROWS} then null', 'an LP cannot get out of an order by what it changes']]),
  ...inFile('src/domain/offer-view.ts', 'test/unit/offer-view.test.ts', [
    ['offer: it promises no profit to an LP without a rate', 'ownRate === null ? null : profitAt(ownRate);',
      'profitAt(ownRate ?? (Number(row.amount_fiat) / Number(row.amount_usd)).toFixed(8));',
      'nobody knows what without a rate of the LP’s own']]),
  ...inFile('src/orders/steps/claim.ts', 'test/api/lp-history.test.ts', [
    ['history: what an LP has earned stays', 'and priced.rate_until > now()', 'and priced.rate_until is null',
      'earnings at its rates of the claims']]),
];
