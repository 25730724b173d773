import type { Guard } from '../guard.ts';

const CLAIM = 'src/orders/steps/claim.ts';
const SERVES = 'src/market/lps/serves-order.ts';
const MAY_CLAIM = 'src/market/lps/may-claim.ts';
const BEST_OFFER = 'src/market/pricing/best-offer.ts';
const SCHEMA = 'src/db/migrations/initial.sql';
const TERMS = 'test/attacks/terms.test.ts';
const MISTAKES = 'test/api/lp-terms-mistakes.test.ts';
const FLOATS = 'test/db/floats.test.ts';
const RACES = 'test/db/float-races.test.ts';

/** What an LP's terms allow, and the float that its orders share. */
export const TERMS_GUARDS: readonly Guard[] = [
  {
    name: 'terms: no unknown field',
    file: 'src/api/resources/lp-terms/schemas.ts',
    text: 'termsRequest = z\n  .strictObject({',
    without: 'termsRequest = z\n  .object({',
    attack: { file: MISTAKES, name: 'an unknown field is refused' },
  },
  {
    name: 'terms: a claim needs terms that take the order',
    file: CLAIM,
    text: "    servesOrder('term', 'orders'),\n",
    without: '',
    attack: { file: TERMS, name: 'takes smaller orders only' },
  },
  {
    name: 'terms: they are for the order’s method',
    file: SERVES,
    text: ' and ${terms}.method = ${order}.corridor_method',
    without: '',
    attack: { file: TERMS, name: 'has terms for another method only' },
  },
  {
    name: 'terms: the smallest order',
    file: SERVES,
    text: '${amount} >= ${terms}.min_fiat and ',
    without: '',
    attack: { file: TERMS, name: 'takes larger orders only' },
  },
  {
    name: 'terms: the largest order',
    file: SERVES,
    text: ' and ${amount} <= coalesce(${terms}.max_fiat, ${amount})\n',
    without: '\n',
    attack: { file: TERMS, name: 'takes smaller orders only' },
  },
  {
    name: 'terms: the float covers the order',
    file: SERVES,
    text: '      and ${amount} <= coalesce(${terms}.float_available, ${amount})`;',
    without: '`;',
    attack: { file: TERMS, name: 'has a float for less' },
  },
  {
    name: 'terms: a quote is for the order’s method',
    file: BEST_OFFER,
    text: 'rate.method = $method and',
    without: 'true and',
    attack: { file: TERMS, name: 'has terms for another method only' },
  },
  {
    name: 'terms: a quote is within the LP’s terms',
    file: BEST_OFFER,
    text: " and ${takesAmount('rate', '$amount::numeric')}",
    without: '',
    attack: { file: TERMS, name: 'takes larger orders only' },
  },
  {
    name: 'terms: an expired rate is not used',
    file: SCHEMA,
    text: 'where quoting and valid_until > now() and rate_usd > 0',
    without: 'where quoting and rate_usd > 0',
    attack: { file: TERMS, name: 'has let its rate expire' },
  },
  {
    name: 'terms: an LP that has stopped quoting is not quoted',
    file: SCHEMA,
    text: 'where quoting and valid_until > now()',
    without: 'where valid_until > now()',
    attack: { file: TERMS, name: 'has stopped quoting' },
  },
  {
    name: 'terms: an automatic claim needs terms for the order',
    file: MAY_CLAIM,
    text: "${servesOrder('rate', order)}",
    without: 'rate.currency = ${order}.currency',
    attack: { file: TERMS, name: 'gets no automatic claim under its terms for another method' },
  },
  {
    name: 'float: concurrent claims cannot use it twice',
    file: SCHEMA,
    text: 'constraint lp_term_float_available_not_negative check (float_available >= 0)',
    without: 'constraint lp_term_float_available_not_negative check (true)',
    attack: { file: FLOATS, name: 'that all begin before the first of them commits' },
  },
  {
    name: 'float: a claim reserves it',
    file: SCHEMA,
    text: 'float_available = float_available - new.float_reserved',
    without: 'float_available = float_available',
    attack: { file: TERMS, name: 'is for one order: a second one is refused' },
  },
  {
    name: 'float: a claim that ends returns it',
    file: SCHEMA,
    text: "case new.status when 'completed' then 0 else old.float_reserved end",
    without: '0',
    attack: { file: TERMS, name: 'comes back with a released order, once' },
  },
  {
    name: 'float: a completed order has used it',
    file: SCHEMA,
    text: "case new.status when 'completed' then 0 else old.float_reserved end",
    without: 'old.float_reserved',
    attack: { file: TERMS, name: 'does not come back with a completed order' },
  },
  {
    name: 'float: an LP’s top-up does not undo a claim',
    file: 'src/market/lps/publish-terms.ts',
    text: "${given('expected_float', `known.float_available is not distinct from ${amount('expected_float')}`, 'true')}",
    without: 'true',
    attack: { file: TERMS, name: 'that an LP read before a claim cannot be changed after it' },
  },
  {
    name: 'float: a change of other terms does not undo a claim',
    file: 'src/market/lps/publish-terms.ts',
    text: '${KEY} and ${IN_TURN} for update',
    without: '${KEY} and ${IN_TURN}',
    attack: { file: RACES, name: 'no fiat of a float is lost or counted twice' },
  },
  {
    name: 'reoffer: another LP must be offered the order',
    file: 'src/orders/steps/shared/failed-claim.ts',
    text: "where ${isOfferedUnder('term', 'orders')} and",
    without: 'where term.currency = orders.currency and',
    attack: {
      file: 'test/db/serving.test.ts',
      name: 'an order is offered again if another LP would be offered it',
    },
  },
];
