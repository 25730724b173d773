import type { Guard } from '../guard.ts';

const SIGNATURE = 'src/temporal/command-signature.ts';
const SIGNATURE_TEST = 'test/unit/command-signature.test.ts';
const OTHER_INPUT = { file: SIGNATURE_TEST, name: 'a signature does not fit' };
const SIGNED = "['corridor command', orderId, requestId, actor, at, fields, forVersion]";
const ACTIVITIES = 'activities/steps.ts';
const OWN = 'test/attacks/own-commands.test.ts';
const HELD = 'test/attacks/held-commands.test.ts';
const FORGED = 'test/attacks/forged-states.test.ts';

/** Whose commands move an order, and from which state. An intruder with access to Temporal may have written a command. */
export const COMMANDS: readonly Guard[] = [
  {
    name: 'redelivery: no second workflow of a live order',
    file: 'src/temporal/gateway.ts',
    text: "isFinal(input.state.status) ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE'",
    without: "isFinal(input.state.status) ? 'ALLOW_DUPLICATE' : 'ALLOW_DUPLICATE'",
    attack: {
      file: 'test/workflow/sleeping-workflows.test.ts',
      name: 'nor does a webhook that is sent again',
    },
  },
  {
    name: 'signature: it is verified before a step',
    file: ACTIVITIES,
    text: "if (!isOwn && !verifyCommand(input)) return reportRow(db, input, 'unsigned');",
    without: 'if (!isOwn) verifyCommand(input);',
    attack: { file: OWN, name: 'a command without a signature moves nothing' },
  },
  {
    name: 'signature: it is verified before an answer',
    file: ACTIVITIES,
    text: '.filter((request) => verifyCommand({ ...request, orderId }))',
    without: '',
    attack: { file: OWN, name: 'a refused command without a signature answers no request' },
  },
  {
    name: 'signature: it is verified before a notice is taken',
    file: 'activities/notices.ts',
    text: 'notices.map((notice) => verifyCommand({ ...notice, orderId }))',
    without: 'notices.map(() => true)',
    attack: {
      file: 'test/attacks/forged-signals.test.ts',
      name: 'a signal that invents a later version of an order freezes nothing',
    },
  },
  {
    name: 'signature: it covers the version',
    file: SIGNATURE,
    text: SIGNED,
    without: "['corridor command', orderId, requestId, actor, at, fields]",
    attack: OTHER_INPUT,
  },
  {
    name: 'command: it applies to the version that it was sent for',
    file: ACTIVITIES,
    text: 'if (!isOwn && input.forVersion !== input.state.version) return refuseMoved(db, input);',
    without: '',
    attack: {
      file: HELD,
      name: 'a resolution that an admin made of one dispute does not resolve a later one',
    },
  },
  {
    name: 'signature: the workflow’s own commands answer no request',
    file: ACTIVITIES,
    text: 'requestId: ownRequestId(input)',
    without: 'requestId: ownRequestId(input) && input.requestId',
    attack: {
      file: OWN,
      name: 'a command of the workflow itself under the id of a request does not answer it',
    },
  },
  {
    name: 'commands: a workflow’s own ones have ids of their own',
    file: 'src/orders/verify-command.ts',
    text: 'hashedUuid([requestId, orderId, state.version, state.status, command])',
    without: 'hashedUuid([requestId, orderId, state && command && 0])',
    attack: { file: OWN, name: 'although an earlier one has drawn its id' },
  },
  {
    name: 'signature: it was made with one of the secrets',
    file: SIGNATURE,
    text: "given))) return 'wrong';",
    without: "given))) return now - at > VALID_MS ? 'expired' : undefined;",
    attack: { file: SIGNATURE_TEST, name: 'either of two secrets may have signed, and no other' },
  },
  {
    name: 'signature: it covers the order',
    file: SIGNATURE,
    text: SIGNED,
    without: "['corridor command', requestId, actor, at, fields, forVersion]",
    attack: OTHER_INPUT,
  },
  {
    name: 'signature: it covers the request',
    file: SIGNATURE,
    text: SIGNED,
    without: "['corridor command', orderId, actor, at, fields, forVersion]",
    attack: OTHER_INPUT,
  },
  {
    name: 'signature: it covers the actor',
    file: SIGNATURE,
    text: SIGNED,
    without: "['corridor command', orderId, requestId, at, fields, forVersion]",
    attack: OTHER_INPUT,
  },
  {
    name: 'signature: it covers its own time',
    file: SIGNATURE,
    text: SIGNED,
    without: "['corridor command', orderId, requestId, actor, fields, forVersion]",
    attack: { file: SIGNATURE_TEST, name: 'every changed character makes a signature void' },
  },
  {
    name: 'signature: it covers the command',
    file: SIGNATURE,
    text: SIGNED,
    without: "['corridor command', orderId, requestId, actor, at, forVersion]",
    attack: OTHER_INPUT,
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
    name: 'signature: a command of the workflow itself names no other actor',
    file: ACTIVITIES,
    text: 'actor: ownActor(input.command)',
    without: 'actor: ownActor(input.command) && input.actor',
    attack: { file: FORGED, name: 'who moved an order by a command of the workflow itself' },
  },
  {
    name: 'revoke: the agent’s key is revoked',
    file: 'src/orders/steps/endings.ts',
    text: "`not ${agentIsActive('orders')}`",
    without: "'true'",
    attack: {
      file: 'test/workflow/revocation.test.ts',
      name: 'a forged revocation of a live key’s order changes nothing',
    },
  },
  {
    name: 'revoke: no fiat may be on its way',
    file: 'src/orders/steps/clock.ts',
    text: "    'orders.receipt_url is null',\n",
    without: '',
    attack: {
      file: 'test/workflow/revocation.test.ts',
      name: 'leaves orders whose fiat is sent or may be on its way to an admin',
    },
  },
  {
    name: 'webhook: at most three POSTs',
    file: 'src/notify/webhooks/deliveries.ts',
    text: 'maxAttempts: MAX_ATTEMPTS, leaseMs',
    without: 'maxAttempts: MAX_ATTEMPTS + 1, leaseMs',
    attack: { file: 'test/db/webhook-attempts.test.ts', name: 'when a worker dies during the last' },
  },
  {
    name: 'webhook: one POST at a time',
    file: 'src/notify/webhooks/deliveries.ts',
    text: 'and (next_attempt_at is null or next_attempt_at <= now())',
    without: '',
    attack: {
      file: 'test/db/webhook-attempts.test.ts',
      name: 'and a run waits for the answer to another run’s POST',
    },
  },
  {
    name: 'commands: a command starts no second workflow',
    file: 'src/temporal/signals.ts',
    text: "await signalWithStart(message, asleep, 'REJECT_DUPLICATE')",
    without: "await signalWithStart(message, asleep, 'ALLOW_DUPLICATE')",
    attack: { file: 'test/workflow/sleeping-workflows.test.ts', name: 'do not start another' },
  },
  {
    name: 'commands: a payment starts no second workflow',
    file: 'src/temporal/start-options.ts',
    text: "workflowIdReusePolicy: 'REJECT_DUPLICATE',",
    without: "workflowIdReusePolicy: 'ALLOW_DUPLICATE',",
    attack: {
      file: 'test/workflow/sleeping-workflows.test.ts',
      name: 'after the order has ended starts nothing',
    },
  },
  {
    name: 'chain: the step of a frozen order does not ask it',
    file: ACTIVITIES,
    text: "if (state.status !== 'crypto_verify_pending' || state.frozenMs !== null) return report;",
    without: "if (state.status !== 'crypto_verify_pending') return report;",
    attack: { file: FORGED, name: 'a worker asks the chain only after a signed step' },
  },
];
