import { inFile } from '../guard.ts';

const TERMS = 'test/attacks/terms.test.ts';
const SCHEMA = 'src/db/migrations/functions.sql';

/** What an LP's terms allow, and the float that its orders share. */
export const TERMS_GUARDS = [
  ...inFile('src/api/resources/lp-terms/routes.ts', 'test/api/lp-terms-mistakes.test.ts', [
    ['terms: no unknown field', 'body: refusingUnknown(termsRequest),', 'body: termsRequest,',
      'an unknown field is refused']]),
  ...inFile('src/market/lps/serves-order.ts', TERMS, [
    ['terms: they are for the order’s method', ' and ${terms}.method = ${order}.corridor_method', '',
      'has terms for another method only'],
    ['terms: the smallest order', '${amount} >= ${terms}.min_fiat', 'true', 'takes larger orders only'],
    ['terms: the largest order', '${amount} <= coalesce(${terms}.max_fiat, ${amount})', 'true',
      'takes smaller orders only'],
    ['terms: the float covers the order',
      '${amount} <= coalesce(${terms}.float_available, ${amount})', 'true', 'has a float for less']]),
  ...inFile('src/market/pricing/best-offer.ts', TERMS, [
    ['terms: a quote is for the order’s method', 'rate.method = $method and', 'true and',
      'has terms for another method only'],
    ['terms: a quote is within the LP’s terms', " and ${takesAmount('rate', '$amount::numeric')}", '',
      'takes larger orders only']]),
  ...inFile(SCHEMA, TERMS, [
    ['terms: an expired rate is not used', 'where quoting and valid_until > now() and rate_usd > 0',
      'where quoting and rate_usd > 0', 'has let its rate expire'],
    ['terms: an LP that has stopped quoting is not quoted', 'where quoting and valid_until > now()',
      'where valid_until > now()', 'has stopped quoting'],
    ['float: a claim reserves it', 'float_available = float_available - new.float_reserved',
      'float_available = float_available', 'is for one order: a second one is refused'],
    ['float: a claim that ends returns it',
      "case new.status when 'completed' then 0 else old.float_reserved end", '0',
      'comes back with a released order, once'],
    ['float: a completed order has used it',
      "case new.status when 'completed' then 0 else old.float_reserved end", 'old.float_reserved',
      'does not come back with a completed order']]),
  ...inFile('src/market/lps/may-claim.ts', TERMS, [
    ['terms: an automatic claim needs terms for the order', "${servesOrder('rate', 'orders')}",
      'rate.currency = orders.currency', 'gets no automatic claim under its terms for another method']]),
  ...inFile('src/market/lps/publish-terms.ts', TERMS, [
    ['float: an LP’s top-up does not undo a claim',
      "${given('expected_float', `known.float_available is not distinct from ${amount('expected_float')}`, 'true')}",
      'true', 'that an LP read before a claim cannot be changed after it']]),
  ...inFile('src/market/lps/publish-terms.ts', 'test/db/float-races.test.ts', [
    ['float: a change of other terms does not undo a claim', '${KEY} and ${IN_TURN} for update',
      '${KEY} and ${IN_TURN}', 'no fiat of a float is lost or counted twice']]),
  ...inFile('src/orders/steps/shared/failed-claim.ts', 'test/db/serving.test.ts', [
    ['reoffer: another LP must be offered the order', "where ${isOfferedUnder('term', 'orders')} and",
      'where term.currency = orders.currency and',
      'an order is offered again if another LP would be offered it']]),
];
