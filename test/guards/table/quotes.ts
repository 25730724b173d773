import type { Guard } from '../guard.ts';

const BEST_OFFER = 'src/pricing/best-offer.ts';
const ATTACKS = 'test/attacks/quotes.test.ts';
const ANSWERS = 'src/lps/answers-for-quote.ts';
const HISTORY = 'test/api/lp-history.test.ts';
const UNCLAIMED = 'test/db/unclaimed-quotes.test.ts';

/** Who is quoted. Nobody needs to claim at a quote, so a quote must name an LP that can stand behind it. */
export const QUOTE_GUARDS: readonly Guard[] = [
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
    text: " and lp.id not in (${coolingLps('$5')})",
    without: ' and $5::float8 is not null',
    attack: { file: 'test/api/strikes.test.ts', name: 'leaves the quotes to the other LPs' },
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
    text: 'able.rate_usd <= market.highest_rate',
    without: 'true',
    attack: { file: ATTACKS, name: 'beside three honest LPs' },
  },
  {
    name: 'quote: collateral at the rate of the other LP',
    file: BEST_OFFER,
    text: "able.available >= ${requiredCollateral(amountUsd('able.lowest_rate'), 'able.tier')}",
    without: 'true',
    attack: { file: ATTACKS, name: 'beside an honest LP' },
  },
  {
    name: 'quote: collateral weighs the median',
    file: 'src/lps/rate-market.ts',
    text: '(select collateral.available + collateral.locked as usd)',
    without: '(select sign(collateral.available + collateral.locked) as usd)',
    attack: { file: ATTACKS, name: 'with many more LPs of the same stranger that agree' },
  },
  {
    name: 'quote: no LP is excluded by strangers’ rates',
    file: 'src/lps/rate-market.ts',
    text: '(select collateral.available + collateral.locked as usd)',
    without: '(select sign(collateral.available + collateral.locked) as usd)',
    attack: { file: ATTACKS, name: 'nor do they exclude the better rate' },
  },
  {
    name: 'quote: no LP loses rank for an order that its float no longer covers',
    file: ANSWERS,
    text: " or (${servesOrder('term', o)}))",
    without: " or true or (${servesOrder('term', o)}))",
    attack: { file: UNCLAIMED, name: 'because its float was for one of twenty, and it claimed that' },
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
    file: 'src/lps/publish-terms.ts',
    text: 'narrowed_at = case when ${NARROWS} then now()',
    without: 'narrowed_at = case when ${NARROWS} then null',
    attack: { file: UNCLAIMED, name: 'an LP cannot get out of an order by what it changes' },
  },
  {
    name: 'offer: it promises no profit to an LP without a rate',
    file: 'src/domain/offer-view.ts',
    text: 'ownRate === null ? null : roundDown(estimatedProfit(row, ownRate), SCALE.cents).toNumber();',
    without:
      'roundDown(estimatedProfit(row, ownRate ?? String(Number(row.amount_fiat) / Number(row.amount_usd))), SCALE.cents).toNumber();',
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
