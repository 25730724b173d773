import type { Guard } from '../guard.ts';

const FAILED_CLAIM = 'src/orders/steps/shared/failed-claim.ts';
const FREE_RELEASES = 'test/db/free-releases.test.ts';
const LOST_ORDERS = 'test/attacks/lost-orders.test.ts';
const RECEIPTS = 'test/db/receipt-deadlines.test.ts';

/** Rules that protect LPs and agents from each other: releases, receipts, lost orders, disputes, and visible data. */
export const FAIR_DEALING: readonly Guard[] = [
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
    file: 'src/orders/steps/open-dispute.ts',
    text: "or $cause <> 'deadline' or orders.receipt_url is not null",
    without: 'or true',
    attack: { file: RECEIPTS, name: 'without a receipt the deadline opens no dispute' },
  },
  {
    name: 'lost order: only the LP that missed the deadline may stop it, for an hour',
    file: 'src/lps/lost-order.ts',
    text: " and strike.created_at > now() - interval '1 hour'",
    without: '',
    attack: { file: LOST_ORDERS, name: 'without evidence, after an hour' },
  },
  {
    name: 'lost order: the LP’s evidence freezes the order',
    file: 'src/api/resources/orders/routes.ts',
    text: 'await commands.contest(order, lp.id, reason);',
    without: 'void commands.contest;',
    attack: { file: LOST_ORDERS, name: 'the LP’s evidence stops the order' },
  },
  {
    name: 'lost order: an LP can stop it only once',
    file: 'src/lps/lost-order.ts',
    text: "contest.actor = 'lp:' || $2::bigint",
    without: "contest.actor = 'nobody'",
    attack: { file: LOST_ORDERS, name: 'the LP’s evidence stops the order' },
  },
  {
    name: 'dispute: the LP first has time to send the fiat',
    file: 'src/orders/steps/open-dispute.ts',
    text: "or $cause <> 'dispute' or ${MAY_DISPUTE_CLAIM}",
    without: 'or true or ${MAY_DISPUTE_CLAIM}',
    attack: { file: 'test/db/claim-disputes.test.ts', name: 'not before the time that the LP has' },
  },
  {
    name: 'dispute: an agent’s open disputes use up its limit',
    file: 'src/db/migrations/initial.sql',
    text: "where agent_key_id = agent and status not in ('completed', 'cancelled');\n    if cap <> 0",
    without:
      "where agent_key_id = agent and status not in ('completed', 'cancelled', 'disputed');\n    if cap <> 0",
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
    text: '(?![\\p{Default_Ignorable_Code_Point}\\u2800])',
    without: '',
    attack: { file: 'test/unit/visible-line.test.ts', name: 'is not visible' },
  },
];
