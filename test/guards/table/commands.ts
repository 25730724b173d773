import type { Guard } from '../guard.ts';

const SIGNATURE = 'src/temporal/command-signature.ts';
const SIGNATURE_TEST = 'test/unit/command-signature.test.ts';
const FITS_NOT = { file: SIGNATURE_TEST, name: 'a signature does not fit' };
const SIGNED = "['corridor command', orderId, requestId, actor, at, fields]";
const ACTIVITIES = 'activities/steps.ts';
const OWN = 'test/attacks/own-commands.test.ts';
const STEP = 'src/orders/steps/shared/step.ts';
const FENCES = "'orders.id = $orderId', 'orders.version = $version', 'orders.status = $from', ...where";
const PERFORM = 'src/orders/steps/perform-step.ts';
const FIRST_ANSWER = `select given.request_id, o.id, given.result, o.status
  from orders o, unnest($requestIds::uuid[], $results::varchar[]) as given (request_id, result)
  where o.id = $orderId and o.version = $version and o.status = $from
  on conflict (request_id) do nothing`;
const FENCE_TEST = 'test/db/step-fences.test.ts';
const STEPS = 'test/workflow/steps.test.ts';

/** Whose commands move an order, and from which state. Anybody who reaches Temporal may have written a command. */
export const COMMANDS: readonly Guard[] = [
  {
    name: 'signature: it is verified before a step',
    file: ACTIVITIES,
    text: 'isOwn || verifyCommand(input)',
    without: 'isOwn || verifyCommand(input) || true',
    attack: { file: OWN, name: 'a command without a signature moves nothing' },
  },
  {
    name: 'signature: it is verified before an answer',
    file: ACTIVITIES,
    text: 'input.answers.filter((answer) => verifyCommand({ ...answer, orderId: input.orderId }))',
    without: 'input.answers',
    attack: { file: OWN, name: 'a refused command without a signature answers no request' },
  },
  {
    name: 'signature: the workflow’s own commands answer no request',
    file: ACTIVITIES,
    text: 'isOwn ? { ...given, requestId: ownRequestId(given.requestId) } : given',
    without: 'ownRequestId(given.requestId) ? given : given',
    attack: { file: OWN, name: 'an own command under the id of a request does not answer it' },
  },
  {
    name: 'signature: one of the secrets made it',
    file: SIGNATURE,
    text: "given))) return 'wrong';",
    without: "given))) return now - at > VALID_MS ? 'expired' : undefined;",
    attack: { file: SIGNATURE_TEST, name: 'either of two secrets may have signed, and no other' },
  },
  {
    name: 'signature: it covers the order',
    file: SIGNATURE,
    text: SIGNED,
    without: "['corridor command', requestId, actor, at, fields]",
    attack: FITS_NOT,
  },
  {
    name: 'signature: it covers the request',
    file: SIGNATURE,
    text: SIGNED,
    without: "['corridor command', orderId, actor, at, fields]",
    attack: FITS_NOT,
  },
  {
    name: 'signature: it covers the actor',
    file: SIGNATURE,
    text: SIGNED,
    without: "['corridor command', orderId, requestId, at, fields]",
    attack: FITS_NOT,
  },
  {
    name: 'signature: it covers its own time',
    file: SIGNATURE,
    text: SIGNED,
    without: "['corridor command', orderId, requestId, actor, fields]",
    attack: { file: SIGNATURE_TEST, name: 'every changed character makes a signature void' },
  },
  {
    name: 'signature: it covers the command',
    file: SIGNATURE,
    text: SIGNED,
    without: "['corridor command', orderId, requestId, actor, at]",
    attack: FITS_NOT,
  },
  {
    name: 'signature: it ends before outcomes are deleted',
    file: SIGNATURE,
    text: 'const VALID_MS = 12 * 3_600_000;',
    without: 'const VALID_MS = 25 * 3_600_000;',
    attack: { file: SIGNATURE_TEST, name: 'a signature ends half a day after it was made' },
  },
  {
    name: 'message: a signal carries the command of its name',
    file: 'workflows/received-command.ts',
    text: 'value.trigger === trigger && !',
    without: '(value.trigger === trigger || true) && !',
    attack: { file: 'test/unit/received-command.test.ts', name: 'the command of another name' },
  },
  {
    name: 'message: a command has no nested values',
    file: 'workflows/received-command.ts',
    text: ' && !Object.values(value).some(isObject)',
    without: '',
    attack: { file: 'test/unit/received-command.test.ts', name: 'a nested value' },
  },
  {
    name: 'message: an actor has a bounded length',
    file: 'workflows/received-command.ts',
    text: ' && value.length <= 100',
    without: '',
    attack: { file: 'test/unit/received-command.test.ts', name: 'a long actor' },
  },
  {
    name: 'step: the order is at the expected version',
    file: STEP,
    text: FENCES,
    without: "'orders.id = $orderId', 'orders.status = $from', ...where",
    attack: {
      file: FENCE_TEST,
      name: 'a step for an old version is stale, though the order is in its status',
    },
  },
  {
    name: 'step: the order is in the status that the step leaves',
    file: STEP,
    text: FENCES,
    without: "'orders.id = $orderId', 'orders.version = $version', ...where",
    attack: {
      file: STEPS,
      name: 'for the same version and another status is stale, though the version fits',
    },
  },
  {
    name: 'step: the table has the transition',
    file: 'src/orders/steps/registry.ts',
    text: 'if (!isTransition(from, command, name, to))',
    without: 'if (!isTransition(from, command, name, to) && !to)',
    attack: { file: STEPS, name: 'that the table of transitions does not have fails' },
  },
  {
    name: 'answer: the order is at the expected version',
    file: PERFORM,
    text: 'o.version = $version and o.status = $from',
    without: 'o.status = $from and $version::int > 0',
    attack: {
      file: FENCE_TEST,
      name: 'an answer for an old version is stale, though the order is in its status',
    },
  },
  {
    name: 'answer: the order is in the expected status',
    file: PERFORM,
    text: 'o.version = $version and o.status = $from',
    without: "o.version = $version and $from::varchar <> ''",
    attack: {
      file: STEPS,
      name: 'for the same version and another status is stale, though the version fits',
    },
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
    attack: { file: STEPS, name: 'for a deadline that has not passed is not carried out' },
  },
  {
    name: 'deadline: the service was available until then',
    file: 'src/orders/steps/shared/deadline.ts',
    text: 'now() >= orders.timeout_at and ${IN_SERVICE}',
    without: 'now() >= orders.timeout_at',
    attack: { file: FENCE_TEST, name: 'a deadline that passed while the service was away does not expire' },
  },
  {
    name: 'revoke: the agent’s key is revoked',
    file: 'src/orders/steps/cancel-revoked.ts',
    text: "`not ${agentIsActive('orders')}`",
    without: "'true'",
    attack: {
      file: 'test/workflow/revocation.test.ts',
      name: 'a forged revocation of a live key’s order changes nothing',
    },
  },
  {
    name: 'revoke: no fiat may be on its way',
    file: 'src/orders/steps/cancel-revoked.ts',
    text: ", 'orders.receipt_url is null'",
    without: '',
    attack: {
      file: 'test/workflow/revocation.test.ts',
      name: 'leaves orders whose fiat is sent or may be on its way to an admin',
    },
  },
  {
    name: 'webhook: at most three POSTs',
    file: 'src/webhooks/deliveries.ts',
    text: 'const values = [orderId, seq, body, MAX_ATTEMPTS, ATTEMPT_LEASE_MS];',
    without: 'const values = [orderId, seq, body, MAX_ATTEMPTS + 1, ATTEMPT_LEASE_MS];',
    attack: { file: 'test/db/webhook-attempts.test.ts', name: 'when a worker dies during the last' },
  },
  {
    name: 'webhook: one POST at a time',
    file: 'src/webhooks/deliveries.ts',
    text: 'and (next_attempt_at is null or next_attempt_at <= now())',
    without: '',
    attack: {
      file: 'test/db/webhook-attempts.test.ts',
      name: 'and a run waits for the answer to another run’s POST',
    },
  },
];
