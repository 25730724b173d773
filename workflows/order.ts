import {
  CancellationScope,
  condition,
  defineSignal,
  isCancellation,
  log,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  uuid4,
} from '@temporalio/workflow';
import type { AutoClaimActivities } from '../activities/auto-claims.ts';
import type { VerificationActivities } from '../activities/verification.ts';
import type { WebhookActivities } from '../activities/webhooks.ts';
import {
  type Command,
  type Decision,
  deadlineOf,
  decide,
  isFinal,
  MISSED_DEADLINE,
  type OrderState,
  type OrderStatus,
  STATUS_FACTS,
} from '../src/domain/order-state.ts';
import type { StepActivities } from '../src/domain/steps.ts';
import {
  OFFER_SIGNAL,
  type OrderInput,
  type OrderSignals,
  type RedeliverSignal,
  type RefreshSignal,
} from './messages.ts';
import { showInTemporal } from './visibility.ts';

/** One database statement each. Retried for as long as the database is away; what is refused comes back as a value. */
const steps = proxyLocalActivities<StepActivities & AutoClaimActivities>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumInterval: '2s' },
});

/** Looks at the chain until it gives a verdict; between looks nothing is held but a line in Temporal. */
const { verifyTransaction } = proxyActivities<VerificationActivities>({
  // A look that a dying worker took with it is taken again after this.
  startToCloseTimeout: '10s',
  retry: { initialInterval: '1s', backoffCoefficient: 1.5, maximumInterval: '30s' },
});

/** Attempts at 0, +400 ms and +800 ms; the activity counts them, so that an outage of ours does not use any up. */
const { deliverWebhook } = proxyActivities<WebhookActivities>({
  startToCloseTimeout: '15s',
  retry: { initialInterval: '400ms', backoffCoefficient: 2, maximumInterval: '30s' },
});

/** A command with the request that its outcome is recorded under. */
interface Request {
  requestId: string;
  actor: string;
  command: Command;
  /** Nobody waits for the answer: a refusal is not recorded. */
  unasked?: true;
  /** ISO 8601; later it is not carried out any more. */
  validUntil?: string;
}

const refreshSignal = defineSignal<[RefreshSignal]>('refresh');
const redeliverSignal = defineSignal<[RedeliverSignal]>('redeliver');
const offerSignal = defineSignal(OFFER_SIGNAL);

/**
 * One order, from its row to its end: the only place where its status changes.
 * Commands, from outside and from the workflow itself, stand in one queue and are carried out one at a time.
 */
export async function order(input: OrderInput): Promise<OrderStatus> {
  const { orderId, durations } = input;
  const queue: Request[] = [];
  let state = input.state;
  let autoClaimDue = input.autoClaims;
  let verification: { version: number; scope: CancellationScope } | undefined;
  const webhooks = [...input.webhooks];
  let delivering = false;

  receive('claim', ({ lpId, collateral }) => ({ trigger: 'claim', lpId, collateral }));
  receive('fiatSent', ({ lpId }) => ({ trigger: 'fiatSent', lpId }));
  receive('confirm', () => ({ trigger: 'confirm' }));
  receive('settle', ({ txHash, txHashGiven }) => ({ trigger: 'settle', txHash, txHashGiven }));
  setHandler(refreshSignal, (row) => {
    if (row.state.version <= state.version) return;
    enter(row.state);
    webhooks.splice(0, webhooks.length, ...row.webhooks);
    deliverWebhooks();
  });
  // Sent twice is no harm: what is no longer owed when its turn comes is left.
  setHandler(redeliverSignal, ({ seq }) => {
    if (!webhooks.includes(seq)) webhooks.push(seq);
    deliverWebhooks();
  });
  setHandler(offerSignal, () => {
    autoClaimDue = true;
  });

  deliverWebhooks();
  for (;;) {
    watchChain();
    if (autoClaimDue) await claimAutomatically();
    const request = await nextRequest();
    if (request) await carryOut(request);
    else if (isFinal(state.status) && !delivering) return state.status;
  }

  function receive<Name extends keyof OrderSignals>(
    name: Name,
    read: (signal: OrderSignals[Name]) => Command,
  ) {
    setHandler(defineSignal<[OrderSignals[Name]]>(name), (signal) => {
      const { requestId, actor } = signal;
      const validity = 'validUntil' in signal ? { validUntil: signal.validUntil } : {};
      queue.push({ requestId, actor, command: read(signal), ...validity });
    });
  }

  /** The next command; a passed deadline is one. Undefined when there is none, but the order is no longer as it was. */
  async function nextRequest(): Promise<Request | undefined> {
    const { version, timeoutAt, status } = state;
    const { stage } = STATUS_FACTS[status];
    const finished = () => isFinal(state.status) && !delivering;
    const somethingToDo = () => queue.length > 0 || autoClaimDue || state.version !== version || finished();
    if (!somethingToDo()) {
      if (stage && timeoutAt) {
        const left = Math.max(1, Date.parse(timeoutAt) - Date.now());
        const inTime = await condition(somethingToDo, left, { summary: `${stage} deadline` });
        if (!inTime) return fromOrder({ trigger: 'deadline', version });
      } else {
        await condition(somethingToDo);
      }
    }
    return queue.shift();
  }

  /** Asks the state machine, and has the database carry out what it says. */
  async function carryOut({ requestId, actor, command, unasked, validUntil }: Request): Promise<void> {
    for (;;) {
      const tooLate = validUntil !== undefined && Date.parse(validUntil) < Date.now();
      const decision = tooLate ? TOO_LATE : decide(state, command);
      if (decision.kind !== 'apply') {
        const result = decision.kind === 'already' ? 'already' : decision.code;
        if (unasked) return;
        const summary = `${command.trigger}: ${result}`;
        return steps.answer.executeWithOptions({ summary }, [{ orderId, requestId, result }]);
      }
      const { step, to } = decision;
      const timeoutAt = deadlineOf(to, Date.now(), durations);
      const report = await steps[step].executeWithOptions(
        { summary: `${state.status} → ${to}, asked by ${actor}` },
        [
          {
            orderId,
            version: state.version,
            requestId,
            to,
            timeoutAt,
            actor,
            command,
            reason: reasonFor(command, state),
          },
        ],
      );
      enter(report.state);
      if (report.webhook !== null) webhooks.push(report.webhook);
      deliverWebhooks();
      if (report.result !== 'stale') return;
      log.warn('the order had moved without its workflow; deciding again on its row', {
        version: state.version,
      });
    }
  }

  /**
   * Claims the order for the LPs that want it done for them, one after the other until one has it. Each try is an
   * ordinary claim: what the look could not know, such as collateral locked meanwhile, the claim itself refuses.
   */
  async function claimAutomatically(): Promise<void> {
    autoClaimDue = false;
    const { version, timeoutAt: validUntil } = state;
    // A worker that comes late must not hand an LP an order whose time to be claimed is over.
    if (state.status !== 'matched' || !validUntil || Date.parse(validUntil) < Date.now()) return;
    const summary = 'look who claims automatically';
    for (const claim of await steps.findAutoClaims.executeWithOptions({ summary }, [{ orderId }])) {
      if (state.version !== version) return;
      const actor = `lp:${claim.lpId}`;
      await carryOut({ ...fromOrder({ trigger: 'autoClaim', ...claim }), actor, validUntil });
    }
  }

  /** Takes over what the row says, and shows it in the Temporal UI in the same workflow task. */
  function enter(next: OrderState): void {
    const moved = next.version !== state.version;
    state = next;
    if (!moved) return;
    showInTemporal(state);
    // Offered again: those who claim automatically come first this time too.
    if (state.status === 'matched') autoClaimDue = true;
  }

  /** While the order waits for its chain, one verification runs; when it no longer does, none. */
  function watchChain(): void {
    if (verification?.version === state.version) return;
    verification?.scope.cancel();
    verification = undefined;
    if (state.status !== 'crypto_verify_pending') return;
    const { version } = state;
    const scope = new CancellationScope();
    verification = { version, scope };
    inBackground(
      scope.run(async () => {
        const summary = 'look for the payment on its chain';
        const verdict = await verifyTransaction.executeWithOptions({ summary }, [{ orderId }]);
        const command: Command =
          verdict.kind === 'verified'
            ? { trigger: 'verified', version }
            : { trigger: 'invalid', version, reason: verdict.reason };
        queue.push(fromOrder(command));
      }),
    );
  }

  /** In the order of the transitions, one after the other; a slow receiver holds up nothing but its own webhooks. */
  function deliverWebhooks(): void {
    if (delivering || webhooks.length === 0) return;
    delivering = true;
    const deliverAll = async () => {
      for (let seq = webhooks.shift(); seq !== undefined; seq = webhooks.shift()) {
        await deliverWebhook.executeWithOptions({ summary: `webhook ${seq}` }, [{ orderId, seq }]);
      }
    };
    inBackground(
      deliverAll().finally(() => {
        delivering = false;
      }),
    );
  }
}

/** Why the order moves, for people, where the command says so or a deadline has passed. */
function reasonFor(command: Command, state: OrderState): string | null {
  if (command.trigger === 'invalid') return command.reason;
  const { stage } = STATUS_FACTS[state.status];
  return command.trigger === 'deadline' && stage ? MISSED_DEADLINE[stage] : null;
}

const TOO_LATE: Decision = { kind: 'refuse', code: 'order_not_claimable' };

/** Cancelled work is no failure: its order has moved on, or an operator has cancelled the workflow. */
function inBackground(work: Promise<void>): void {
  work.catch((error) => {
    if (!isCancellation(error)) throw error;
  });
}

/** What the order does by itself. */
const fromOrder = (command: Command): Request => ({
  requestId: uuid4(),
  actor: 'service',
  command,
  unasked: true,
});
