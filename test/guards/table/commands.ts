import { inFile } from '../guard.ts';

const ACTIVITIES = 'activities/steps.ts';
const OWN = 'test/attacks/own-commands.test.ts';
const SIGNED = "['corridor command', orderId, requestId, actor, at, fields, forVersion]";

/** Whose commands move an order, and from which state. An intruder with access to Temporal may have written a command. */
export const COMMANDS = [
  ...inFile('src/temporal/gateway.ts', 'test/workflow/sleeping-workflows.test.ts', [
    ['redelivery: no second workflow of a live order',
      "isFinal(input.state.status) ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE'",
      "isFinal(input.state.status) ? 'ALLOW_DUPLICATE' : 'ALLOW_DUPLICATE'",
      'nor does a webhook that is sent again']]),
  ...inFile(ACTIVITIES, OWN, [
    ['signature: it is verified before a step',
      "if (!isOwn && !verifyCommand(input)) return reportRow(db, input, 'unsigned');",
      'if (!isOwn) verifyCommand(input);', 'a command without a signature moves nothing'],
    ['signature: it is verified before an answer',
      '.filter((request) => verifyCommand({ ...request, orderId }))', '',
      'a refused command without a signature answers no request'],
    ['signature: the workflow’s own commands answer no request', 'requestId: ownRequestId(input)',
      'requestId: ownRequestId(input) && input.requestId',
      'a command of the workflow itself under the id of a request does not answer it']]),
  ...inFile('activities/notices.ts', 'test/attacks/forged-signals.test.ts', [
    ['signature: it is verified before a notice is taken',
      'notices.map((notice) => verifyCommand({ ...notice, orderId }))', 'notices.map(() => true)',
      'a signal that invents a later version of an order freezes nothing']]),
  ...inFile('src/temporal/command-signature.ts', 'test/unit/command-signature.test.ts', [
    ['signature: it covers the version', SIGNED,
      "['corridor command', orderId, requestId, actor, at, fields]", 'a signature does not fit'],
    ['signature: it was made with one of the secrets', "given))) return 'wrong';",
      "given))) return now - at > VALID_MS ? 'expired' : undefined;",
      'either of two secrets may have signed, and no other'],
    ['signature: it covers the order', SIGNED,
      "['corridor command', requestId, actor, at, fields, forVersion]", 'a signature does not fit'],
    ['signature: it covers the request', SIGNED,
      "['corridor command', orderId, actor, at, fields, forVersion]", 'a signature does not fit'],
    ['signature: it covers the actor', SIGNED,
      "['corridor command', orderId, requestId, at, fields, forVersion]", 'a signature does not fit'],
    ['signature: it covers its own time', SIGNED,
      "['corridor command', orderId, requestId, actor, fields, forVersion]",
      'every changed character makes a signature void'],
    ['signature: it covers the command', SIGNED,
      "['corridor command', orderId, requestId, actor, at, forVersion]", 'a signature does not fit'],
    ['signature: it ends before outcomes are deleted', 'const VALID_MS = 12 * 3_600_000;',
      'const VALID_MS = 25 * 3_600_000;', 'a signature ends half a day after it was made']]),
  ...inFile(ACTIVITIES, 'test/attacks/held-commands.test.ts', [
    ['command: it applies to the version that it was sent for',
      'if (!isOwn && input.forVersion !== input.state.version) return refuseMoved(db, input);', '',
      'a resolution that an admin made of one dispute does not resolve a later one']]),
  ...inFile('src/orders/verify-command.ts', OWN, [
    ['commands: a workflow’s own ones have ids of their own',
      'hashedUuid([requestId, orderId, state.version, state.status, command])',
      'hashedUuid([requestId, orderId, state && command && 0])', 'although an earlier one has drawn its id']]),
  ...inFile('workflows/received-command.ts', 'test/unit/received-command.test.ts', [
    ['message: a signal carries the command of its name', 'value.trigger === trigger && !',
      '(value.trigger === trigger || true) && !', 'the command of another name'],
    ['message: a command has no nested values', ' && !Object.values(value).some(isObject)', '',
      'a nested value'],
    ['message: an actor has a bounded length', ' && value.length <= 100', '', 'a long actor']]),
  ...inFile(ACTIVITIES, 'test/attacks/forged-states.test.ts', [
    ['signature: a command of the workflow itself names no other actor', 'actor: ownActor(input.command)',
      'actor: ownActor(input.command) && input.actor',
      'who moved an order by a command of the workflow itself']]),
  ...inFile('activities/inline-finish.ts', 'test/attacks/forged-states.test.ts', [
    ['chain: the step of a frozen order does not ask it',
      "if (state.status !== 'crypto_verify_pending' || state.frozenMs !== null) return report;",
      "if (state.status !== 'crypto_verify_pending') return report;",
      'a worker asks the chain only after a signed step']]),
  ...inFile('src/notify/webhooks/deliveries.ts', 'test/db/webhook-attempts.test.ts', [
    ['webhook: at most three POSTs', 'maxAttempts: MAX_ATTEMPTS, leaseMs',
      'maxAttempts: MAX_ATTEMPTS + 1, leaseMs', 'when a worker dies during the last'],
    ['webhook: one POST at a time', 'and (next_attempt_at is null or next_attempt_at <= now())', '',
      'and a run waits for the answer to another run’s POST']]),
  ...inFile('src/temporal/signals.ts', 'test/workflow/sleeping-workflows.test.ts', [
    ['commands: a command starts no second workflow',
      "await signalWithStart(message, asleep, 'REJECT_DUPLICATE')",
      "await signalWithStart(message, asleep, 'ALLOW_DUPLICATE')", 'do not start another']]),
  ...inFile('src/temporal/start-options.ts', 'test/workflow/sleeping-workflows.test.ts', [
    ['commands: a payment starts no second workflow', "workflowIdReusePolicy: 'REJECT_DUPLICATE',",
      "workflowIdReusePolicy: 'ALLOW_DUPLICATE',", 'after the order has ended starts nothing']]),
];
