import type { Guard } from '../guard.ts';

const STEP = 'src/orders/steps/shared/step.ts';
const FENCES = "'orders.id = $orderId', IS_STATE, ...where";
const PERFORM = 'src/orders/steps/perform-step.ts';
const FIRST_ANSWER = `select given.request_id, orders.id, given.result, orders.status
  from orders, unnest($requestIds::uuid[], $results::varchar[]) as given (request_id, result)
  where orders.id = $orderId and ${'${IS_STATE}'}
  on conflict (request_id) do nothing`;
const FORGED = 'test/attacks/forged-states.test.ts';
/**
 * The columns that `IS_STATE` compares besides version and status, each with the attack that forges it. Without
 * `reoffers`: the steps of a failed claim check it again, see `MAY_REOFFER`.
 */
const COMPARED: readonly [column: string, parameter: string, attack: string][] = [
  ['orders.lp_id', '$ofLp::bigint', 'let another LP mark the fiat as sent'],
  [
    'orders.excluded_lp_ids',
    '$excludedLps::bigint[]',
    'let an LP claim an order again after its failed claim',
  ],
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

/** The state from which a command moves an order, and the time at which a deadline does. */
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
    name: 'step: an order ends because no other LP is left only if there is none',
    file: 'src/orders/steps/endings.ts',
    text: '`not (${MAY_REOFFER})`',
    without: '`(not (${MAY_REOFFER}) or true)`',
    attack: { file: FORGED, name: 'end an order as if there were no other LP' },
  },
  {
    name: 'step: an extension is one of the row’s deadline',
    file: 'src/orders/steps/clock.ts',
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
    text: "${clockOf('orders')} >= orders.timeout_at and ${IN_SERVICE}",
    without: '${IN_SERVICE}',
    attack: { file: 'test/db/step-deadlines.test.ts', name: 'that has not passed does nothing' },
  },
  {
    name: 'deadline: the service was available until then',
    file: 'src/orders/steps/shared/deadline.ts',
    text: "${clockOf('orders')} >= orders.timeout_at and ${IN_SERVICE}",
    without: "${clockOf('orders')} >= orders.timeout_at",
    attack: {
      file: FENCE_TEST,
      name: 'a deadline that passed while the service was unavailable does not expire',
    },
  },
  {
    name: 'loss: another status at the same version is a loss',
    file: 'src/domain/workflow-drift.ts',
    text: '(seen.version === row.version && seen.status !== undefined && seen.status !== row.status)',
    without: 'false',
    attack: {
      file: 'test/unit/workflow-drift.test.ts',
      name: 'a workflow of the same version and another status',
    },
  },
  {
    name: 'loss: a forged version does not raise the row’s version to its limit',
    file: 'src/orders/steps/freeze-after-loss.ts',
    text: 'and version >= $seenVersion::int - ${LOST_AT_MOST}',
    without: '',
    attack: {
      file: 'test/workflow/lost-commits.test.ts',
      name: 'a workflow that shows more than any loss explains cannot raise the version to its limit',
    },
  },
];
