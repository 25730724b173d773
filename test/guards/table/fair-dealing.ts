import { inFile } from '../guard.ts';

const REVOCATION = 'test/workflow/revocation.test.ts';
const FAILED_CLAIM = 'src/orders/steps/shared/failed-claim.ts';
const FREE_RELEASES = 'test/db/free-releases.test.ts';
const LOST_ORDERS = 'test/attacks/lost-orders.test.ts';

/** Rules that protect LPs and agents from each other: releases, receipts, lost orders, disputes, and visible data. */
export const FAIR_DEALING = [
  ...inFile('src/orders/steps/clock.ts', REVOCATION, [
    ['revocation: the LP of a claimed order gets time to report what it has paid',
      'deadlineInMs: revocationGrace', 'deadlineInMs: Math.min(0, revocationGrace)',
      'gives the LP of a claimed order time to report what it has paid']]),
  ...inFile('src/market/lps/refresh-statistics.ts', REVOCATION, [
    ['revocation: a claim that it ends is no failed claim', "and batch.snapshot ->> 'lp_id' is null", '',
      'lets the LP of a claimed order give it back at once']]),
  ...inFile(FAILED_CLAIM, FREE_RELEASES, [
    ['step: an order is offered again at most twice after failed claims',
      '(orders.reoffers < ${LIMIT.after} or failure.kind <> ', '(true or failure.kind <> ',
      'ends with the third release that is not free'],
    ['step: a free release does not bring an order closer to its end',
      "orders.reoffers + case failure.kind when 'counts' then 1 else 0 end", 'orders.reoffers + 1',
      'stays on offer however many LPs release it for free'],
    ['release: only some releases per day are free',
      ' and has_free_release(${order}.lp_id, $freeReleases::int)', ' and $freeReleases::int is not null',
      'has three free releases a day, and each further one is a strike']]),
  ...inFile('src/db/migrations/functions.sql', FREE_RELEASES, [
    ['release: parallel ones of an LP wait for each other',
      'perform from lp where id = releasing for no key update;', 'perform from lp where id = releasing;',
      'releases 64 orders at the same moment']]),
  ...inFile('src/market/lps/lost-order.ts', LOST_ORDERS, [
    ['lost order: only the LP that missed the deadline may stop it, for an hour',
      ")) > now() - interval '1 hour'", ')) is not null', 'without evidence, after an hour'],
    ['lost order: the hour for a contest begins again after a freeze', 'lost.frozen_ms is not null', 'false',
      'its hour begins again afterwards'],
    ['lost order: an LP can stop it only once', "contest.actor = 'lp:' || $2::bigint",
      "contest.actor = 'nobody'", 'the LP’s evidence stops the order'],
    ['lost order: only the LP that has stopped it gets the strike',
      "select case when e.cause = 'freeze' and e.actor like 'lp:%' then substr(e.actor, 4)::bigint end as lp_id",
      'select coalesce((select min(lp_id) from lp_strike where order_id = e.order_id), substr(e.actor, 4)::bigint) as lp_id',
      'only where an LP has contested']]),
  ...inFile('src/market/lps/lost-order.ts', 'test/workflow/failover.test.ts', [
    ['lost order: an earlier contest does not explain a freeze after lost commits',
      "e.cause in ('freeze', 'lost-commits')", "e.cause in ('freeze')",
      'an earlier contest by an LP is not taken for the freeze']]),
  ...inFile('src/api/resources/orders/routes.ts', LOST_ORDERS, [
    ['lost order: a contest is not swallowed because somebody else has frozen the order',
      '.get(order.id) !== lp.id)', '.get(order.id) === -1)',
      'a contest of an order that is frozen already is refused'],
    ['lost order: the LP’s evidence freezes the order', 'await commands.contest(order, lp.id, reason);',
      'void commands.contest;', 'the LP’s evidence stops the order']]),
  ...inFile('src/api/resources/receipts/routes.ts', 'test/attacks/late-receipts.test.ts', [
    ['lost order: a receipt that the deadline overtakes is evidence', '(await recordEvidence(db, receipt));',
      '(!isOwner && (await recordEvidence(db, receipt)));', 'the file is evidence']]),
  ...inFile('src/operations/statistics/service-facts.ts', LOST_ORDERS, [
    ['lost order: an alert fires when no admin decides', 'coalesce(frozen.at, case', 'coalesce(null, case',
      'the alert fires when nobody decides in time']]),
  ...inFile('src/orders/steps/clock.ts', LOST_ORDERS, [
    ['lost order: false evidence is a strike', 'where $falseEvidence::boolean and',
      'where $falseEvidence::boolean is null and', 'false evidence costs the LP a strike']]),
  ...inFile('src/db/migrations/functions.sql', 'test/attacks/early-disputes.test.ts', [
    ['dispute: an agent’s open disputes use up its limit',
      "where agent_key_id = agent and status not in ('completed', 'cancelled'));",
      "where agent_key_id = agent and status not in ('completed', 'cancelled', 'disputed'));",
      'an agent’s open disputes use up its limit']]),
  ...inFile('src/domain/order-view.ts', 'test/api/claims.test.ts', [
    ['order view: its LP sees no callback URL and no user', "lp: ['user_id', 'callback_url'],", 'lp: [],',
      'shows the parties more, but never the recipient']]),
  ...inFile('src/domain/visible-line.ts', 'test/unit/visible-line.test.ts', [
    ['names: a name of invisible characters is refused',
      '(?![\\p{Default_Ignorable_Code_Point}\\u2800\\ufffc\\u{13441}\\u{13442}\\u{1d159}])', '',
      'is not visible']]),
];
