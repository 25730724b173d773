import type { Guard } from '../guard.ts';

const STEP = 'src/orders/steps/shared/step.ts';
const FENCES = "'orders.id = $orderId', IS_STATE, ...where";
const PERFORM = 'src/orders/steps/perform-step.ts';
const FIRST_ANSWER = `select given.request_id, orders.id, given.result, orders.status
  from orders, unnest($requestIds::uuid[], $results::varchar[]) as given (request_id, result)
  where orders.id = $orderId and ${'${IS_STATE}'}
  on conflict (request_id) do nothing`;
const FAILED_CLAIM = 'src/orders/steps/shared/failed-claim.ts';
const FREE_RELEASES = 'test/db/free-releases.test.ts';
const LOST_ORDERS = 'test/attacks/lost-orders.test.ts';
const RECEIPTS = 'test/db/receipt-deadlines.test.ts';
const FORGED = 'test/attacks/forged-states.test.ts';
/**
 * The columns that `IS_STATE` compares besides version and status, each with the attack that makes it up. Without
 * `reoffers`, which the steps of a failed claim check once more: see `MAY_REOFFER`.
 */
const COMPARED: readonly [column: string, parameter: string, attack: string][] = [
  ['orders.lp_id', '$ofLp::bigint', 'let another LP mark the fiat as sent'],
  ['orders.excluded_lp_ids', '$excludedLps::bigint[]', 'let an LP claim again what it has failed'],
  ['orders.replacements', '$replacements::int', 'replace a transaction once too often'],
  ['orders.rejections', '$rejections::int', 'dispute an order as if three transactions had been rejected'],
  ['orders.frozen_ms', '$frozenMs::bigint', 'move a frozen order'],
  [
    'orders.rejected_tx_hashes',
    '$rejectedHashes::varchar[]',
    'settle with a transaction that was rejected before',
  ],
];
const FENCE_TEST = 'test/db/step-fences.test.ts';
const STEPS = 'test/workflow/steps.test.ts';

/** From which state a command moves an order, and when a deadline does. */
export const STATES: readonly Guard[] = [
  {
    name: 'step: the order is at the expected version',
    file: STEP,
    text: FENCES,
    without: FENCES.replace('IS_STATE', "IS_STATE.replace('version = $version', 'version >= $version')"),
    attack: {
      file: FENCE_TEST,
      name: 'a step for an old version is stale, though the order is in its status',
    },
  },
  {
    name: 'step: the order is in the status that the step leaves',
    file: STEP,
    text: FENCES,
    without: FENCES.replace('IS_STATE', "IS_STATE.replace('status = $from', 'status is not null')"),
    attack: {
      file: STEPS,
      name: 'for the same version and another status is stale, though the version fits',
    },
  },
  ...COMPARED.map(
    ([column, parameter, name]): Guard => ({
      name: `step: the decision was based on the row’s ${column}`,
      file: STEP,
      text: FENCES,
      without: FENCES.replace('IS_STATE', `IS_STATE.replace('${column}', '${parameter}')`),
      attack: { file: FORGED, name },
    }),
  ),
  {
    name: 'step: it is the one that the rules decide on',
    file: 'src/orders/steps/registry.ts',
    text: "if (decision.kind !== 'apply' || decision.step !== name)",
    without: "if (decision.kind !== 'apply')",
    attack: { file: FORGED, name: 'what a command does' },
  },
  {
    name: 'step: an order ends for want of another LP only if there is none',
    file: 'src/orders/steps/cancel-unpaid.ts',
    text: '`not (${MAY_REOFFER})`',
    without: '`(not (${MAY_REOFFER}) or true)`',
    attack: { file: FORGED, name: 'end an order as if there were no other LP' },
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
    name: 'release: only some in a day are free',
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
    name: 'receipt: an order that has one is not offered again',
    file: FAILED_CLAIM,
    text: "[DEADLINE_COUNTS, 'orders.receipt_url is null']",
    without: '[DEADLINE_COUNTS]',
    attack: { file: RECEIPTS, name: 'a missed deadline with a receipt is a dispute' },
  },
  {
    name: 'receipt: the deadline of a claimed order opens a dispute only with one',
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
    name: 'lost order: it stands still once the LP has shown evidence',
    file: 'src/api/resources/orders/routes.ts',
    text: 'await commands.contest(order, lp.id, reason);',
    without: 'void commands.contest;',
    attack: { file: LOST_ORDERS, name: 'its evidence stops the order' },
  },
  {
    name: 'lost order: an LP can stop it only once',
    file: 'src/lps/lost-order.ts',
    text: "contest.actor = 'lp:' || $2::bigint",
    without: "contest.actor = 'nobody'",
    attack: { file: LOST_ORDERS, name: 'its evidence stops the order' },
  },
  {
    name: 'dispute: the LP first has time to send the fiat',
    file: 'src/orders/steps/open-dispute.ts',
    text: "or $cause <> 'dispute' or ${MAY_DISPUTE_CLAIM}",
    without: 'or true or ${MAY_DISPUTE_CLAIM}',
    attack: { file: 'test/db/claim-disputes.test.ts', name: 'not before the time that the LP has' },
  },
  {
    name: 'dispute: an agent’s open ones use up its limit',
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
    name: 'names: one of invisible characters is refused',
    file: 'src/domain/visible-line.ts',
    text: '(?![\\p{Default_Ignorable_Code_Point}\\u2800])',
    without: '',
    attack: { file: 'test/unit/visible-line.test.ts', name: 'is not visible' },
  },
  {
    name: 'step: an extension is one of the row’s deadline',
    file: 'src/orders/steps/extend-deadline.ts',
    text: '$deadlineAt::timestamptz > orders.timeout_at',
    without: '$deadlineAt::timestamptz is not null',
    attack: { file: FORGED, name: 'that an extension shortens a stage' },
  },
  {
    name: 'answer: the order is at the expected version',
    file: PERFORM,
    text: FIRST_ANSWER,
    without: FIRST_ANSWER.replace(
      'IS_STATE',
      "IS_STATE.replace('version = $version', 'version >= $version')",
    ),
    attack: {
      file: FENCE_TEST,
      name: 'an answer for an old version is stale, though the order is in its status',
    },
  },
  {
    name: 'answer: the order is in the expected status',
    file: PERFORM,
    text: FIRST_ANSWER,
    without: FIRST_ANSWER.replace('IS_STATE', "IS_STATE.replace('status = $from', 'status is not null')"),
    attack: {
      file: STEPS,
      name: 'for the same version and another status is stale, though the version fits',
    },
  },
  {
    name: 'answer: it is based on the row’s state',
    file: PERFORM,
    text: FIRST_ANSWER,
    without: FIRST_ANSWER.replace('IS_STATE', "IS_STATE.replace('orders.lp_id', '$ofLp::bigint')"),
    attack: { file: FORGED, name: 'answer a request' },
  },
  {
    name: 'answer: the first one to a request stays',
    file: PERFORM,
    text: FIRST_ANSWER,
    // One statement cannot update a row twice.
    without: FIRST_ANSWER.replace('select', 'select distinct on (given.request_id)').replace(
      'do nothing',
      'do update set result = excluded.result',
    ),
    attack: { file: STEPS, name: 'a later answer does not replace the first answer to a request' },
  },
  {
    name: 'deadline: it has passed by the database’s clock',
    file: 'src/orders/steps/shared/deadline.ts',
    text: 'now() >= orders.timeout_at and ${IN_SERVICE}',
    without: '${IN_SERVICE}',
    attack: { file: 'test/db/step-deadlines.test.ts', name: 'that has not passed does nothing' },
  },
  {
    name: 'deadline: the service was available until then',
    file: 'src/orders/steps/shared/deadline.ts',
    text: 'now() >= orders.timeout_at and ${IN_SERVICE}',
    without: 'now() >= orders.timeout_at',
    attack: { file: FENCE_TEST, name: 'a deadline that passed while the service was away does not expire' },
  },
  {
    name: 'loss: another status at the same version is one',
    file: 'src/domain/workflow-drift.ts',
    text: '(seen.version === row.version && seen.status !== undefined && seen.status !== row.status)',
    without: 'false',
    attack: {
      file: 'test/unit/workflow-drift.test.ts',
      name: 'a workflow of the same version and another status',
    },
  },
  {
    name: 'loss: a made-up version does not raise the row’s to its limit',
    file: 'src/orders/steps/freeze-after-loss.ts',
    text: 'and version >= $seenVersion::int - ${LOST_AT_MOST}',
    without: '',
    attack: {
      file: 'test/workflow/lost-commits.test.ts',
      name: 'a workflow that shows more than any loss explains cannot raise the version to its limit',
    },
  },
];
