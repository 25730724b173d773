import {
  CancellationScope,
  condition,
  defineSignal,
  isCancellation,
  log,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  upsertSearchAttributes,
  uuid4,
} from '@temporalio/workflow';
import type { VerificationActivities } from '../activities/verification.ts';
import type { WebhookActivities } from '../activities/webhooks.ts';
import {
  type Command,
  deadlineOf,
  decide,
  isFinal,
  MISSED_DEADLINE,
  type OrderStatus,
  STATUS_FACTS,
} from '../src/domain/order-state.ts';
import type { StepActivities } from '../src/domain/steps.ts';
import { type OrderInput, type OrderSignals, SEARCH_ATTRIBUTES } from './messages.ts';

/** One database transaction each. Retried for as long as the database is away; what is refused comes back as a value. */
const steps = proxyLocalActivities<StepActivities>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumInterval: '2s' },
});

/** Looks at the chain until it gives a verdict; between looks nothing is held but a line in Temporal. */
const { verifyTransaction } = proxyActivities<VerificationActivities>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 1.5, maximumInterval: '30s' },
});

/** Attempts at 0, +400 ms and +800 ms; the activity counts them, so that an outage of ours does not use any up. */
const { deliverWebhook } = proxyActivities<WebhookActivities>({
  startToCloseTimeout: '20s',
  retry: { initialInterval: '400ms', backoffCoefficient: 2, maximumInterval: '30s' },
});

/** A command with the request that its outcome is recorded under. */
interface Request {
  requestId: string;
  actor: string;
  command: Command;
}

/**
 * One order, from its row to its end: the only place where its status changes.
 * Commands, from outside and from the workflow itself, stand in one queue and are carried out one at a time.
 */
export async function order(input: OrderInput): Promise<OrderStatus> {
  const { orderId, durations } = input;
  const queue: Request[] = [];
  let state = input.state;
  let verification: CancellationScope | undefined;
  const webhooks = [...input.webhooks];
  let delivering = false;

  receive('claim', ({ lpId, collateral }) => ({ trigger: 'claim', lpId, collateral }));
  receive('fiatSent', ({ lpId }) => ({ trigger: 'fiatSent', lpId }));
  receive('confirm', () => ({ trigger: 'confirm' }));
  receive('settle', ({ txHash, txHashGiven }) => ({ trigger: 'settle', txHash, txHashGiven }));

  void deliverWebhooks();
  for (;;) {
    watchChain();
    const request = await nextRequest();
    if (!request) return state.status;
    await carryOut(request);
  }

  function receive<Name extends keyof OrderSignals>(
    name: Name,
    read: (signal: OrderSignals[Name]) => Command,
  ) {
    setHandler(defineSignal<[OrderSignals[Name]]>(name), (signal) => {
      queue.push({ requestId: signal.requestId, actor: signal.actor, command: read(signal) });
    });
  }

  /** The next command; a passed deadline is one. Undefined when the order has ended and owes nobody anything. */
  async function nextRequest(): Promise<Request | undefined> {
    const { stage } = STATUS_FACTS[state.status];
    const finished = () => isFinal(state.status) && !delivering;
    const somethingToDo = () => queue.length > 0 || finished();
    if (!somethingToDo()) {
      if (stage && state.timeoutAt) {
        const left = Math.max(1, Date.parse(state.timeoutAt) - Date.now());
        const inTime = await condition(somethingToDo, left, { summary: `${stage} deadline` });
        if (!inTime) return fromOrder({ trigger: 'deadline', version: state.version });
      } else {
        await condition(somethingToDo);
      }
    }
    return queue.shift();
  }

  /** Asks the state machine, and has the database carry out what it says. */
  async function carryOut({ requestId, actor, command }: Request): Promise<void> {
    for (;;) {
      const decision = decide(state, command);
      if (decision.kind !== 'apply') {
        const result = decision.kind === 'already' ? 'already' : decision.code;
        if (actor === ORDER_ITSELF) return;
        return steps.answer.executeWithOptions({ summary: `${command.trigger}: ${result}` }, [
          { orderId, requestId, result },
        ]);
      }
      const { step, to } = decision;
      const timeoutAt = deadlineOf(to, Date.now(), durations);
      const report = await steps[step].executeWithOptions(
        { summary: `${state.status} → ${to}, by ${actor}` },
        [
          {
            orderId,
            version: state.version,
            requestId,
            to,
            timeoutAt,
            actor,
            command,
            reason: reasonFor(command),
          },
        ],
      );
      state = report.state;
      if (report.result === 'stale') {
        log.warn('the order had moved without its workflow; deciding again on its row', {
          version: state.version,
        });
        continue;
      }
      if (report.result === 'applied') showInTemporal();
      if (report.webhook !== null) {
        webhooks.push(report.webhook);
        void deliverWebhooks();
      }
      return;
    }
  }

  /** While the order waits for its chain, one verification runs; when it no longer does, none. */
  function watchChain() {
    const wanted = state.status === 'crypto_verify_pending';
    if (!wanted) verification?.cancel();
    if (!wanted) verification = undefined;
    if (!wanted || verification) return;
    const scope = new CancellationScope();
    verification = scope;
    const { version } = state;
    void scope.run(async () => {
      try {
        const verdict = await verifyTransaction.executeWithOptions(
          { summary: 'look for the payment on its chain' },
          [{ orderId }],
        );
        const command: Command =
          verdict.kind === 'verified'
            ? { trigger: 'verified', version }
            : { trigger: 'invalid', version, reason: verdict.reason };
        queue.push(fromOrder(command));
      } catch (error) {
        if (!isCancellation(error)) throw error;
      }
    });
  }

  /** In the order of the transitions, one after the other; a slow receiver holds up nothing but its own webhooks. */
  async function deliverWebhooks() {
    if (delivering) return;
    delivering = true;
    for (let seq = webhooks.shift(); seq !== undefined; seq = webhooks.shift()) {
      await deliverWebhook.executeWithOptions({ summary: `webhook ${seq}` }, [{ orderId, seq }]);
    }
    delivering = false;
  }

  /** So that the Temporal UI explains the order, with or without a worker. Same workflow task as the step. */
  function showInTemporal() {
    const { orderStatus, waitingFor, dueAt, lpId } = SEARCH_ATTRIBUTES;
    upsertSearchAttributes([
      { key: orderStatus, value: state.status },
      { key: waitingFor, value: STATUS_FACTS[state.status].waitingFor },
      { key: dueAt, value: state.timeoutAt === null ? null : new Date(state.timeoutAt) },
      { key: lpId, value: state.lpId },
    ]);
  }

  function reasonFor(command: Command): string | null {
    if (command.trigger === 'invalid') return command.reason;
    const { stage } = STATUS_FACTS[state.status];
    return command.trigger === 'deadline' && stage ? MISSED_DEADLINE[stage] : null;
  }
}

/** The actor of what the order does by itself; nobody waits for the answer. */
const ORDER_ITSELF = 'service';
const fromOrder = (command: Command): Request => ({ requestId: uuid4(), actor: ORDER_ITSELF, command });
