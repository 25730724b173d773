import { inFile } from '../guard.ts';

const PUBLISH = 'src/market/lps/publish-terms.ts';
const ATTACKS = 'test/attacks/lp-terms.test.ts';
const MANY = 'test/attacks/many-terms.test.ts';
const RELOADS = 'test/db/feed-reloads.test.ts';

/** What an LP may publish. Quotes and claims depend on it. */
export const PUBLISHED_TERMS_GUARDS = [
  ...inFile(PUBLISH, ATTACKS, [
    ['terms published: only the LP’s own', 'where lp_term.lp_id = known.lp_id and ', 'where ',
      'do not change, whatever an LP publishes or stops'],
    ['terms published: an LP stops only its own quotes',
      'from known where lp_id = $lpId and currency = $currency and ',
      'from known where currency = $currency and ', 'do not change, whatever an LP publishes or stops'],
    ['terms published: concurrent changes of different fields all count', '${KEY} and ${IN_TURN} for update',
      '${KEY} and ${IN_TURN}', 'that change different fields all count'],
    ['terms published: one of concurrent top-ups counts',
      "${given('expected_float', `known.float_available is not distinct from ${amount('expected_float')}`, 'true')}",
      'true', 'that top up the same float: one counts'],
    ['terms published: concurrent first terms are one row',
      "if (violates(error, 'lp_term_pkey') && attempt < ATTEMPTS) continue;",
      "if (violates(error, 'lp_term_pkey') && attempt > ATTEMPTS) continue;",
      'that publish the first terms of a corridor leave one row, and all count'],
    ['terms published: only a rate renews the validity',
      "valid_until = ${given('rate', VALID_UNTIL, 'known.valid_until')}",
      "valid_until = ${given('rate', VALID_UNTIL, `now() + interval '1 hour'`)}",
      'only a rate makes terms valid for longer']]),
  ...inFile('src/api/resources/lp-terms/read-rate.ts', ATTACKS, [
    ['terms published: a rate is not valid for too long', 'if (validForMs > MAX_RATE_VALIDITY_MS)',
      'if (validForMs < 0 * MAX_RATE_VALIDITY_MS)', 'is never'],
    ['terms published: a rate is near its reference', 'await checkRates(prices, { [currency]: rate_usd });',
      'await checkRates(prices, {});', 'is never'],
    ['terms published: an offset needs a reference price',
      'if ((await prices.perUsd(currency)) === undefined)', 'if ((await prices.perUsd(currency)) === null)',
      'is never']]),
  ...inFile('src/api/resources/lp-terms/schemas.ts', ATTACKS, [
    ['terms published: an offset is near its reference', 'const MAX_OFFSET_BPS = 1_000;',
      'const MAX_OFFSET_BPS = 10_000;', 'is never']]),
  ...inFile('src/market/corridors/terms-method.ts', ATTACKS, [
    ['terms published: a method is one of the currency',
      'if (Object.hasOwn(corridor.methods, method)) return method;',
      'if (method in corridor.methods) return method;', 'is never']]),
  ...inFile('src/db/migrations/functions.sql', MANY, [
    ['terms published: an LP has 200 at most',
      'return (select count(*) < most from lp_term where lp_id = publisher);', 'return true;',
      'has terms in at most 200 corridors'],
    ['terms published: parallel requests of an LP wait for each other',
      'perform from lp where id = publisher for no key update;', 'perform from lp where id = publisher;',
      'count its terms before the first of them ends']]),
  ...inFile('src/api/resources/lps/schemas.ts', MANY, [
    ['terms published: an LP registers with few rates', 'const MAX_FIRST_RATES = 50;',
      'const MAX_FIRST_RATES = 5_000;', 'registers with at most 50 rates']]),
  ...inFile(PUBLISH, 'test/db/lock-order.test.ts', [
    ['terms published: deposits and orders of the LP do not wait forever', '${KEY} and ${IN_TURN} for update',
      '${KEY} for update', 'at the same moment all succeed']]),
  ...inFile('src/notify/feed/order-feed.ts', RELOADS, [
    ['feed: an LP that is not approved makes it read no terms',
      'reloads.require([...approved].filter(isStale));', 'reloads.require(lpIds.filter(isStale));',
      'an LP that is not approved makes the feed read no terms'],
    ['feed: an LP gets its orders under the terms that it has published before',
      'else if (!isHeld.get(lpId)) listener(', 'else listener(', 'waits for them, and no other LP does']]),
  ...inFile('src/notify/feed/messages.ts', 'test/api/changes.test.ts', [
    ['feed: an LP is not offered an order again that it has given up',
      'if (event.excludedLpIds.includes(lpId)) return undefined;', '',
      'learns from its former position that the order closed']]),
  ...inFile('src/notify/feed/subscription.ts', 'test/api/feed-limits.test.ts', [
    ['feed: nothing of the past is read for an LP that anybody can register',
      'position = everApproved || isAfter(from, end) ? from : end;', 'position = from;',
      'of the past is read for an LP that was never approved']]),
  ...inFile('src/api/resources/order-changes/routes.ts', 'test/api/changes.test.ts', [
    ['changes: nothing of the past is read for an LP that anybody can register',
      'if (approved_at === null && !(await lpMarket(db, lpId)).everApproved)', 'if (false as boolean)',
      'an LP that was never approved skips it']]),
  ...inFile('src/db/migrations/functions.sql', 'test/db/lp-webhooks.test.ts', [
    ['lp webhook: an LP that is approved gets nothing older',
      '    update lp_webhook set since = feed_horizon() where lp_id = new.id;\n', '',
      'that is approved report what comes afterwards']]),
  ...inFile('src/notify/lp-webhooks/queue-terms-events.ts', 'test/db/lp-webhooks.test.ts', [
    ['lp webhook: nothing about terms is written for an LP that was never approved',
      '    join lp on lp.id = due.lp_id and lp.approved_at is not null\n', '',
      'of an LP that was never approved']]),
  ...inFile('src/notify/lp-webhooks/active.ts', 'test/db/lp-webhooks.test.ts', [
    ['lp webhook: nothing is read for strangers’ webhooks',
      'where lp.approved_at is not null and hook.stopped_at is null', 'where hook.stopped_at is null',
      'of an LP that was never approved']]),
  ...inFile('src/notify/feed/admission.ts', 'test/attacks/floods/strangers.test.ts', [
    ['limits: invented sessions count on the feed', 'else countStranger(address);', '',
      'invented session cookies on the feed']]),
  ...inFile('src/notify/feed/market-reloads.ts', RELOADS, [
    ['feed: an LP that changes its terms delays no other LP', 'return pages !== undefined;',
      'return held.size > 0;', 'waits for them, and no other LP does']]),
];
