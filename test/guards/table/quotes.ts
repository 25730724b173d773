import type { Guard } from '../guard.ts';

const BEST_OFFER = 'src/pricing/best-offer.ts';
const ATTACKS = 'test/attacks/quotes.test.ts';

/** Which LP is quoted. No LP must claim at a quote, so the quoted LP must be able to honour it. */
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
    name: 'quote: strangers’ rates exclude no LP',
    file: 'src/lps/rate-market.ts',
    text: '(select collateral.available + collateral.locked as usd)',
    without: '(select sign(collateral.available + collateral.locked) as usd)',
    attack: { file: ATTACKS, name: 'do not exclude the better rate' },
  },
];
