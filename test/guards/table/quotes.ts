import type { Guard } from '../guard.ts';

const BEST_OFFER = 'src/pricing/best-offer.ts';
const ATTACKS = 'test/attacks/quotes.test.ts';

/** Who is quoted. Nobody needs to claim at a quote, so a quote must name an LP that can stand behind it. */
export const QUOTE_GUARDS: readonly Guard[] = [
  {
    name: 'quote: the LP has collateral for the order',
    file: BEST_OFFER,
    text: "    and collateral.available >= ${requiredCollateral(AMOUNT_USD, 'lp.tier')}\n",
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
];
