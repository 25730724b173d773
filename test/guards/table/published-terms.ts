import type { Guard } from '../guard.ts';

const PUBLISH = 'src/market/lps/publish-terms.ts';
const READ_RATE = 'src/api/resources/lp-terms/read-rate.ts';
const SCHEMA = 'src/api/resources/lp-terms/schemas.ts';
const FEED = 'src/notify/feed/order-feed.ts';
const MANY = 'test/attacks/many-terms.test.ts';
const RELOADS = 'test/db/feed-reloads.test.ts';
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
    text: '${KEY} and ${IN_TURN} for update',
    without: '${KEY} and ${IN_TURN}',
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
    file: 'src/market/corridors/terms-method.ts',
    text: 'if (Object.hasOwn(corridor.methods, method)) return method;',
    without: 'if (method in corridor.methods) return method;',
    attack: { file: ATTACKS, name: 'is never' },
  },
  {
    name: 'terms published: an LP has 200 at most',
    file: 'src/db/migrations/initial.sql',
    text: 'return (select count(*) < most from lp_term where lp_id = publisher);',
    without: 'return true;',
    attack: { file: MANY, name: 'has terms in at most 200 corridors' },
  },
  {
    name: 'terms published: parallel requests of an LP wait for each other',
    file: 'src/db/migrations/initial.sql',
    text: 'perform from lp where id = publisher for no key update;',
    without: 'perform from lp where id = publisher;',
    attack: { file: MANY, name: 'count its terms before the first of them ends' },
  },
  {
    name: 'terms published: an LP registers with few rates',
    file: 'src/api/resources/lps/schemas.ts',
    text: 'const MAX_FIRST_RATES = 50;',
    without: 'const MAX_FIRST_RATES = 5_000;',
    attack: { file: MANY, name: 'registers with at most 50 rates' },
  },
  {
    name: 'terms published: deposits and orders of the LP do not wait forever',
    file: PUBLISH,
    text: '${KEY} and ${IN_TURN} for update',
    without: '${KEY} for update',
    attack: { file: 'test/db/lock-order.test.ts', name: 'at the same moment all succeed' },
  },
  {
    name: 'feed: an LP that is not approved makes it read no terms',
    file: FEED,
    text: 'reloads.require([...approved].filter(isStale));',
    without: 'reloads.require(lpIds.filter(isStale));',
    attack: { file: RELOADS, name: 'an LP that is not approved makes the feed read no terms' },
  },
  {
    name: 'feed: an LP gets its orders under the terms that it has published before',
    file: FEED,
    text: 'else if (!isHeld.get(lpId)) listener(',
    without: 'else listener(',
    attack: { file: RELOADS, name: 'waits for them, and no other LP does' },
  },
  {
    name: 'feed: an LP is not offered an order again that it has given up',
    file: 'src/notify/feed/messages.ts',
    text: 'if (event.excludedLpIds.includes(lpId)) return undefined;',
    without: '',
    attack: {
      file: 'test/api/changes.test.ts',
      name: 'learns from its former position that the order closed',
    },
  },
  {
    name: 'feed: nothing of the past is read for an LP that anybody can register',
    file: 'src/notify/feed/subscription.ts',
    text: 'position = everApproved || isAfter(from, end) ? from : end;',
    without: 'position = from;',
    attack: {
      file: 'test/api/feed-limits.test.ts',
      name: 'of the past is read for an LP that was never approved',
    },
  },
  {
    name: 'changes: nothing of the past is read for an LP that anybody can register',
    file: 'src/api/resources/order-changes/routes.ts',
    text: 'if (approved_at === null && !(await lpMarket(db, lpId)).everApproved)',
    without: 'if (false as boolean)',
    attack: { file: 'test/api/changes.test.ts', name: 'an LP that was never approved skips it' },
  },
  {
    name: 'lp webhook: an LP that is approved gets nothing older',
    file: 'src/db/migrations/initial.sql',
    text: '    update lp_webhook set since = feed_horizon() where lp_id = new.id;\n',
    without: '',
    attack: { file: 'test/db/lp-webhooks.test.ts', name: 'that is approved report what comes afterwards' },
  },
  {
    name: 'lp webhook: nothing about terms is written for an LP that was never approved',
    file: 'src/notify/lp-webhooks/queue-terms-events.ts',
    text: '    join lp on lp.id = due.lp_id and lp.approved_at is not null\n',
    without: '',
    attack: { file: 'test/db/lp-webhooks.test.ts', name: 'of an LP that was never approved' },
  },
  {
    name: 'lp webhook: nothing is read for strangers’ webhooks',
    file: 'src/notify/lp-webhooks/active.ts',
    text: 'where lp.approved_at is not null and hook.stopped_at is null',
    without: 'where hook.stopped_at is null',
    attack: { file: 'test/db/lp-webhooks.test.ts', name: 'of an LP that was never approved' },
  },
  {
    name: 'limits: invented sessions count on the feed',
    file: 'src/notify/feed/admission.ts',
    text: 'else countStranger(address);',
    without: '',
    attack: { file: 'test/attacks/floods/strangers.test.ts', name: 'invented session cookies on the feed' },
  },
  {
    name: 'feed: an LP that changes its terms delays no other LP',
    file: 'src/notify/feed/market-reloads.ts',
    text: 'return pages !== undefined;',
    without: 'return held.size > 0;',
    attack: { file: RELOADS, name: 'waits for them, and no other LP does' },
  },
];
