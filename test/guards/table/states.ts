import { inFile } from '../guard.ts';

export const STEP = 'src/orders/steps/shared/step.ts';
const FENCE_TEST = 'test/db/step-fences.test.ts';
const STEPS = 'test/workflow/steps.test.ts';
const FORGED = 'test/attacks/forged-states.test.ts';
const PERFORM = 'src/orders/steps/perform-step.ts';
/** A guard removes one comparison of it. `reoffers` is missing: the steps of a failed claim check it again, see `MAY_REOFFER`. */
export const FENCES = "'orders.id = $orderId', IS_STATE, ...where";
const ANSWER_FENCES = 'where orders.id = $orderId and ${IS_STATE}';
const FIRST_ANSWER = `select given.request_id, orders.id, given.result, orders.status
  from orders, unnest($requestIds::uuid[], $results::varchar[]) as given (request_id, result)
  ${ANSWER_FENCES}
  on conflict (request_id) do nothing`;

/** The state from which a command moves an order, and the time at which a deadline does. */
export const STATES = [
  ...inFile(STEP, FENCE_TEST, [
    ['step: the order is at the expected version', FENCES,
      "'orders.id = $orderId', IS_STATE.replace('version = $version', 'version >= $version'), ...where",
      'a step for an old version is stale, though the order is in its status']]),
  ...inFile(STEP, STEPS, [
    ['step: the order is in the status that the step leaves', FENCES,
      "'orders.id = $orderId', IS_STATE.replace('status = $from', 'status is not null'), ...where",
      'for the same version and another status is stale, though the version fits']]),
  ...inFile(STEP, FORGED, [
    ['step: the decision was based on the row’s orders.lp_id', FENCES,
      "'orders.id = $orderId', IS_STATE.replace('orders.lp_id', '$ofLp::bigint'), ...where",
      'let another LP mark the fiat as sent'],
    ['step: the decision was based on the row’s orders.excluded_lp_ids', FENCES,
      "'orders.id = $orderId', IS_STATE.replace('orders.excluded_lp_ids', '$excludedLps::bigint[]'), ...where",
      'let an LP claim an order again after its failed claim'],
    ['step: the decision was based on the row’s orders.replacements', FENCES,
      "'orders.id = $orderId', IS_STATE.replace('orders.replacements', '$replacements::int'), ...where",
      'replace a transaction once too often'],
    ['step: the decision was based on the row’s orders.rejections', FENCES,
      "'orders.id = $orderId', IS_STATE.replace('orders.rejections', '$rejections::int'), ...where",
      'dispute an order as if three transactions had been rejected'],
    ['step: the decision was based on the row’s orders.frozen_ms', FENCES,
      "'orders.id = $orderId', IS_STATE.replace('orders.frozen_ms', '$frozenMs::bigint'), ...where",
      'move a frozen order'],
    ['step: the decision was based on the row’s orders.rejected_tx_hashes', FENCES,
      "'orders.id = $orderId', IS_STATE.replace('orders.rejected_tx_hashes', '$rejectedHashes::varchar[]'), ...where",
      'settle with a transaction that was rejected before']]),
  ...inFile('src/orders/steps/registry.ts', FORGED, [
    ['step: it is the one that the rules decide on',
      "if (decision.kind !== 'apply' || decision.step !== name)", "if (decision.kind !== 'apply')",
      'what a command does']]),
  ...inFile(PERFORM, FENCE_TEST, [
    ['answer: the order is at the expected version', ANSWER_FENCES,
      ANSWER_FENCES.replace('IS_STATE', "IS_STATE.replace('version = $version', 'version >= $version')"),
      'an answer for an old version is stale, though the order is in its status']]),
  ...inFile(PERFORM, STEPS, [
    ['answer: the order is in the expected status', ANSWER_FENCES,
      ANSWER_FENCES.replace('IS_STATE', "IS_STATE.replace('status = $from', 'status is not null')"),
      'for the same version and another status is stale, though the version fits'],
    ['answer: the first one to a request stays', FIRST_ANSWER,
      // One statement cannot update a row twice.
      FIRST_ANSWER.replace('select', 'select distinct on (given.request_id)')
        .replace('do nothing', 'do update set result = excluded.result'),
      'a later answer does not replace the first answer to a request']]),
  ...inFile(PERFORM, FORGED, [
    ['answer: it is based on the row’s state', ANSWER_FENCES,
      ANSWER_FENCES.replace('IS_STATE', "IS_STATE.replace('orders.lp_id', '$ofLp::bigint')"),
      'answer a request']]),
  ...inFile('src/orders/steps/shared/deadline.ts', 'test/db/step-deadlines.test.ts', [
    ['deadline: it has passed by the database’s clock',
      "${clockOf('orders')} >= orders.timeout_at and ${IN_SERVICE}", '${IN_SERVICE}',
      'that has not passed does nothing']]),
  ...inFile('src/orders/steps/shared/deadline.ts', FENCE_TEST, [
    ['deadline: the service was available until then',
      "${clockOf('orders')} >= orders.timeout_at and ${IN_SERVICE}",
      "${clockOf('orders')} >= orders.timeout_at",
      'a deadline that passed while the service was unavailable does not expire']]),
  ...inFile('src/domain/workflow-drift.ts', 'test/unit/workflow-drift.test.ts', [
    ['loss: another status at the same version is a loss',
      '(seen.version === row.version && seen.status !== undefined && seen.status !== row.status)', 'false',
      'a workflow of the same version and another status']]),
  ...inFile('src/orders/steps/freeze-after-loss.ts', 'test/workflow/lost-commits.test.ts', [
    ['loss: a forged version does not raise the row’s version to its limit',
      'and version >= $seenVersion::int - ${LOST_AT_MOST}', '',
      'a workflow that shows more than any loss explains cannot raise the version to its limit']]),
];
