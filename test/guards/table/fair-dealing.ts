import type { Guard } from '../guard.ts';

const FAILED_CLAIM = 'src/orders/steps/shared/failed-claim.ts';
const GRACE = 'src/orders/steps/clock.ts';
const REVOCATION = 'test/workflow/revocation.test.ts';
const FREE_RELEASES = 'test/db/free-releases.test.ts';
const LOST_ORDERS = 'test/attacks/lost-orders.test.ts';
const RECEIPTS = 'test/db/receipt-deadlines.test.ts';

/** Rules that protect LPs and agents from each other: releases, receipts, lost orders, disputes, and visible data. */
export const FAIR_DEALING: readonly Guard[] = [
  {
    name: 'revocation: the LP of a claimed order gets time to report what it has paid',
    file: GRACE,
    text: 'deadlineInMs: revocationGrace',
    without: 'deadlineInMs: Math.min(0, revocationGrace)',
    attack: { file: REVOCATION, name: 'gives the LP of a claimed order time to report what it has paid' },
  },
  {
    name: 'revocation: it gets that time once',
    file: GRACE,
    text: "and e.cause = 'revoke')`",
    without: "and e.cause = 'none')`",
    attack: { file: REVOCATION, name: 'grants that time once' },
  },
  {
    name: 'revocation: the last claim of an order fails as little as the others',
    file: 'src/orders/steps/endings.ts',
    text: "where: [...FAILED_CLAIM.where, agentIsActive('orders'), ",
    without: "where: [...FAILED_CLAIM.where, agentIsActive('orders') && 'true', ",
    attack: { file: REVOCATION, name: 'even if two claims of it had failed before' },
  },
  {
    name: 'revocation: only of a key that is revoked',
    file: GRACE,
    text: "`not ${agentIsActive('orders')}`",
    without: "`(not ${agentIsActive('orders')} or true)`",
    attack: { file: REVOCATION, name: 'a forged revocation of a live key’s order changes nothing' },
  },
  {
    name: 'revocation: a claim that it ends is no failed claim',
    file: 'src/market/lps/refresh-statistics.ts',
    text: "and batch.snapshot ->> 'lp_id' is null",
    without: '',
    attack: { file: REVOCATION, name: 'lets the LP of a claimed order give it back at once' },
  },
  {
    name: 'step: an order is offered again at most twice after failed claims',
    file: FAILED_CLAIM,
    text: '(orders.reoffers < ${LIMIT.after} or failure.kind <> ',
    without: '(true or failure.kind <> ',
    attack: { file: FREE_RELEASES, name: 'ends with the third release that is not free' },
  },
  {
    name: 'step: a free release does not bring an order closer to its end',
    file: FAILED_CLAIM,
    text: "orders.reoffers + case failure.kind when 'counts' then 1 else 0 end",
    without: 'orders.reoffers + 1',
    attack: { file: FREE_RELEASES, name: 'stays on offer however many LPs release it for free' },
  },
  {
    name: 'release: only some releases per day are free',
    file: FAILED_CLAIM,
    text: ' and has_free_release(${order}.lp_id, $freeReleases::int)',
    without: ' and $freeReleases::int is not null',
    attack: { file: FREE_RELEASES, name: 'has three free releases a day, and each further one is a strike' },
  },
  {
    name: 'release: parallel ones of an LP wait for each other',
    file: 'src/db/migrations/initial.sql',
    text: 'perform from lp where id = releasing for no key update;',
    without: 'perform from lp where id = releasing;',
    attack: { file: FREE_RELEASES, name: 'releases 64 orders at the same moment' },
  },
  {
    name: 'receipt: an order with a receipt is not offered again',
    file: FAILED_CLAIM,
    text: "[DEADLINE_COUNTS, 'orders.receipt_url is null']",
    without: '[DEADLINE_COUNTS]',
    attack: { file: RECEIPTS, name: 'a missed deadline with a receipt is a dispute' },
  },
  {
    name: 'receipt: the deadline of a claimed order opens a dispute only with a receipt',
    file: 'src/orders/steps/endings.ts',
    text: "or $cause <> 'deadline' or orders.receipt_url is not null",
    without: 'or true',
    attack: { file: RECEIPTS, name: 'without a receipt the deadline opens no dispute' },
  },
  {
    name: 'lost order: only the LP that missed the deadline may stop it, for an hour',
    file: 'src/market/lps/lost-order.ts',
    text: ")) > now() - interval '1 hour'",
    without: ')) is not null',
    attack: { file: LOST_ORDERS, name: 'without evidence, after an hour' },
  },
  {
    name: 'lost order: an earlier contest does not explain a freeze after lost commits',
    file: 'src/market/lps/lost-order.ts',
    text: "e.cause in ('freeze', 'lost-commits')",
    without: "e.cause in ('freeze')",
    attack: {
      file: 'test/workflow/failover.test.ts',
      name: 'an earlier contest by an LP is not taken for the freeze',
    },
  },
  {
    name: 'lost order: a contest is not swallowed because somebody else has frozen the order',
    file: 'src/api/resources/orders/routes.ts',
    text: '.get(order.id) !== lp.id)',
    without: '.get(order.id) === -1)',
    attack: { file: LOST_ORDERS, name: 'a contest of an order that is frozen already is refused' },
  },
  {
    name: 'lost order: the hour for a contest begins again after a freeze',
    file: 'src/market/lps/lost-order.ts',
    text: 'lost.frozen_ms is not null',
    without: 'false',
    attack: { file: LOST_ORDERS, name: 'its hour begins again afterwards' },
  },
  {
    name: 'lost order: the LP’s evidence freezes the order',
    file: 'src/api/resources/orders/routes.ts',
    text: 'await commands.contest(order, lp.id, reason);',
    without: 'void commands.contest;',
    attack: { file: LOST_ORDERS, name: 'the LP’s evidence stops the order' },
  },
  {
    name: 'lost order: a receipt that the deadline overtakes is evidence',
    file: 'src/api/resources/receipts/routes.ts',
    text: '(await recordEvidence(db, receipt));',
    without: '(!isOwner && (await recordEvidence(db, receipt)));',
    attack: { file: 'test/attacks/late-receipts.test.ts', name: 'the file is evidence' },
  },
  {
    name: 'lost order: an LP can stop it only once',
    file: 'src/market/lps/lost-order.ts',
    text: "contest.actor = 'lp:' || $2::bigint",
    without: "contest.actor = 'nobody'",
    attack: { file: LOST_ORDERS, name: 'the LP’s evidence stops the order' },
  },
  {
    name: 'lost order: an alert fires when no admin decides',
    file: 'src/operations/statistics/service-facts.ts',
    text: 'coalesce(frozen.at, case',
    without: 'coalesce(null, case',
    attack: { file: LOST_ORDERS, name: 'the alert fires when nobody decides in time' },
  },
  {
    name: 'lost order: false evidence is a strike',
    file: 'src/orders/steps/clock.ts',
    text: 'where $falseEvidence::boolean and',
    without: 'where $falseEvidence::boolean is null and',
    attack: { file: LOST_ORDERS, name: 'false evidence costs the LP a strike' },
  },
  {
    name: 'lost order: only the LP that has stopped it gets the strike',
    file: 'src/market/lps/lost-order.ts',
    text: "select case when e.cause = 'freeze' and e.actor like 'lp:%' then substr(e.actor, 4)::bigint end as lp_id",
    without:
      'select coalesce((select min(lp_id) from lp_strike where order_id = e.order_id), substr(e.actor, 4)::bigint) as lp_id',
    attack: { file: LOST_ORDERS, name: 'only where an LP has contested' },
  },
  {
    name: 'dispute: the LP first has time to send the fiat',
    file: 'src/orders/steps/endings.ts',
    text: "or $cause <> 'dispute' or ${MAY_DISPUTE_CLAIM}",
    without: 'or true or ${MAY_DISPUTE_CLAIM}',
    attack: { file: 'test/db/claim-disputes.test.ts', name: 'not before the time that the LP has' },
  },
  {
    name: 'dispute: an agent’s open disputes use up its limit',
    file: 'src/db/migrations/initial.sql',
    text: "where agent_key_id = agent and status not in ('completed', 'cancelled'));",
    without: "where agent_key_id = agent and status not in ('completed', 'cancelled', 'disputed'));",
    attack: {
      file: 'test/attacks/early-disputes.test.ts',
      name: 'an agent’s open disputes use up its limit',
    },
  },
  {
    name: 'order view: its LP sees no callback URL and no user',
    file: 'src/domain/order-view.ts',
    text: "lp: ['user_id', 'callback_url'],",
    without: 'lp: [],',
    attack: { file: 'test/api/claims.test.ts', name: 'shows the parties more, but never the recipient' },
  },
  {
    name: 'names: a name of invisible characters is refused',
    file: 'src/domain/visible-line.ts',
    text: '(?![\\p{Default_Ignorable_Code_Point}\\u2800\\ufffc\\u{13441}\\u{13442}\\u{1d159}])',
    without: '',
    attack: { file: 'test/unit/visible-line.test.ts', name: 'is not visible' },
  },
];
