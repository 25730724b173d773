import type { Guard } from '../guard.ts';

const PUBLISH = 'src/lps/publish-terms.ts';
const READ_RATE = 'src/api/resources/lp-terms/read-rate.ts';
const SCHEMA = 'src/api/resources/lp-terms/schemas.ts';
const ATTACKS = 'test/attacks/lp-terms.test.ts';

/** What an LP may publish. Quotes and claims depend on it. */
export const PUBLISHED_TERMS_GUARDS: readonly Guard[] = [
  {
    name: 'terms published: only the LP’s own',
    file: PUBLISH,
    text: 'where lp_term.lp_id = known.lp_id and ',
    without: 'where ',
    attack: { file: ATTACKS, name: 'do not change, whatever an LP publishes or stops' },
  },
  {
    name: 'terms published: an LP stops only its own quotes',
    file: PUBLISH,
    text: 'from known where lp_id = $lpId and currency = $currency and ',
    without: 'from known where currency = $currency and ',
    attack: { file: ATTACKS, name: 'do not change, whatever an LP publishes or stops' },
  },
  {
    name: 'terms published: concurrent changes of different fields all count',
    file: PUBLISH,
    text: 'currency = $currency and method = $method for update',
    without: 'currency = $currency and method = $method',
    attack: { file: ATTACKS, name: 'that change different fields all count' },
  },
  {
    name: 'terms published: one of concurrent top-ups counts',
    file: PUBLISH,
    text: "${given('expected_float', `known.float_available is not distinct from ${amount('expected_float')}`, 'true')}",
    without: 'true',
    attack: { file: ATTACKS, name: 'that top up the same float: one counts' },
  },
  {
    name: 'terms published: concurrent first terms are one row',
    file: PUBLISH,
    text: "if (violates(error, 'lp_term_pkey') && attempt < ATTEMPTS) continue;",
    without: "if (violates(error, 'lp_term_pkey') && attempt > ATTEMPTS) continue;",
    attack: {
      file: ATTACKS,
      name: 'that publish the first terms of a corridor leave one row, and all count',
    },
  },
  {
    name: 'terms published: only a rate renews the validity',
    file: PUBLISH,
    text: "valid_until = ${given('rate', VALID_UNTIL, 'known.valid_until')}",
    without: "valid_until = ${given('rate', VALID_UNTIL, `now() + interval '1 hour'`)}",
    attack: { file: ATTACKS, name: 'only a rate makes terms valid for longer' },
  },
  {
    name: 'terms published: a rate is not valid for too long',
    file: READ_RATE,
    text: 'if (validForMs > settings.rateValidForMax)',
    without: 'if (validForMs < 0 * settings.rateValidForMax)',
    attack: { file: ATTACKS, name: 'is never' },
  },
  {
    name: 'terms published: a rate is near its reference',
    file: READ_RATE,
    text: 'await checkRates(prices, { [currency]: rate_usd });',
    without: 'await checkRates(prices, {});',
    attack: { file: ATTACKS, name: 'is never' },
  },
  {
    name: 'terms published: an offset needs a reference price',
    file: READ_RATE,
    text: 'if ((await prices.perUsd(currency)) === undefined)',
    without: 'if ((await prices.perUsd(currency)) === null)',
    attack: { file: ATTACKS, name: 'is never' },
  },
  {
    name: 'terms published: an offset is near its reference',
    file: SCHEMA,
    text: 'const MAX_OFFSET_BPS = 1_000;',
    without: 'const MAX_OFFSET_BPS = 10_000;',
    attack: { file: ATTACKS, name: 'is never' },
  },
  {
    name: 'terms published: a method is one of the currency',
    file: 'src/corridors/terms-method.ts',
    text: 'if (Object.hasOwn(corridor.methods, method)) return method;',
    without: 'if (method in corridor.methods) return method;',
    attack: { file: ATTACKS, name: 'is never' },
  },
];
