import {
  condition,
  continueAsNew,
  defineSignal,
  type SignalDefinition,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { type Command, SIGNAL_TRIGGERS } from '../src/domain/order-commands.ts';
import {
  isFinal,
  isSameMove,
  type OrderState,
  type OrderStatus,
  STATUS_FACTS,
} from '../src/domain/order-state.ts';
import type { TraceContext } from '../src/domain/trace-context.ts';
import { claimAutomatically } from './auto-claims.ts';
import { carryOut } from './carry-out.ts';
import { createDeadlineTimer } from './deadline-timer.ts';
import {
  type Envelope,
  OFFER_SIGNAL,
  type OrderInput,
  REDELIVER_SIGNAL,
  REFRESH_SIGNAL,
  type RedeliverSignal,
  type RefreshSignal,
} from './messages.ts';
import { deadlineBackoff, enterState, ownRequest, type Request, startRun } from './order-run.ts';
import { receivedCommand, traceOf } from './received-command.ts';

const commandSignals = SIGNAL_TRIGGERS.map((trigger) => ({
  trigger,
  signal: defineSignal<[Envelope]>(trigger),
}));
const refreshSignal = defineSignal<[RefreshSignal]>(REFRESH_SIGNAL);
const redeliverSignal = defineSignal<[RedeliverSignal]>(REDELIVER_SIGNAL);
const offerSignal = defineSignal(OFFER_SIGNAL);

/**
 * The workflow of one order. Only this workflow changes the order's status. The table `TRANSITIONS` says what each
 * command does in each status. Commands wait in one queue, and the workflow carries them out one at a time.
 *
 * Two rules keep the replay deterministic:
 * - One local activity runs at a time. The results of two concurrent ones could first arrive in separate activations,
 *   and on replay in one activation and another order.
 * - The workflow's clock sets timers and decides nothing else. While a step waits for the database, Temporal starts one
 *   workflow task after another. On replay, the clock in the first of these tasks shows the time of the last. So the
 *   database decides whether a deadline has passed or a command comes too late.
 */
export async function order(input: OrderInput): Promise<OrderStatus> {
  const run = startRun(input);
  const { orderId, requests, webhooks, chain } = run;
  const { origin } = input;
  const deadlineTimer = createDeadlineTimer();

  for (const { trigger, signal } of commandSignals) {
    on(signal, (message, traces) => {
      requests.push({ ...receivedCommand(trigger, message), traces, isOwn: false });
    });
  }
  on(refreshSignal, (row, traces) => {
    // A row with the same version and another status comes from a database that lost commits.
    if (row.state.version < run.state.version || isSameMove(row.state, run.state)) return;
    enterState(run, row.state);
    webhooks.replace(row.webhooks, traces);
  });
  on(redeliverSignal, ({ seq }, traces) => webhooks.add(seq, traces));
  setHandler(offerSignal, () => {
    run.isAutoClaimDue = true;
  });

  for (;;) {
    await webhooks.deliverDue();
    const { state } = run;
    const { status } = state;
    switch (status) {
      case 'matched':
        // The first LP to claim the order gets it. LPs with auto-claim are tried before the workflow waits for others.
        await claimAutomatically(run);
        await nextStep(state);
        break;
      case 'claimed':
        // The LP sends the fiat and reports `fiatSent`. If it releases the order or is late, the order is open again.
        await nextStep(state);
        break;
      case 'fiat_sent':
        // The agent sends `confirm`: the recipient has the fiat.
        await nextStep(state);
        break;
      case 'confirmed':
        // The agent pays the LP in crypto and sends `settle` with the transaction.
        await nextStep(state);
        break;
      case 'crypto_verify_pending':
        // The chain verifies the transaction, which completes the order.
        await chain.follow(run.state, run.traces);
        await nextStep(state, chain.checkLastTime);
        break;
      case 'disputed':
        // An admin resolves the dispute. No clock runs.
        await nextStep(state);
        break;
      case 'completed':
      case 'cancelled':
        // The workflow ends when it has delivered every webhook and refused late commands.
        if (isDone()) return status;
        await nextStep(state);
    }
  }

  /** Registers a handler. Handlers only record what to do; the main loop does it. */
  function on<Message extends TraceContext>(
    signal: SignalDefinition<[Message]>,
    record: (message: Message, traces: TraceContext) => void,
  ): void {
    setHandler(signal, (message) => record(message, { trace: traceOf(message), origin }));
  }

  /** Waits for a command or the deadline, and carries it out. Returns without a step if other work comes first. */
  async function nextStep(from: OrderState, onDeadline = missDeadline): Promise<void> {
    if (!isSameMove(run.state, from)) return;
    if (workflowInfo().continueAsNewSuggested && requests.length === 0 && webhooks.isIdle()) {
      // Temporal limits the signals and events of one run. An order that refuses many commands could reach the limit.
      const { state, isAutoClaimDue: autoClaims } = run;
      await continueAsNew<typeof order>({ orderId, state, webhooks: [], autoClaims, origin });
    }
    const request = await nextRequest(from, onDeadline);
    if (request) await carryOut(run, request);
  }

  async function nextRequest(from: OrderState, onDeadline: OnDeadline): Promise<Request | undefined> {
    const { timeoutAt, status } = run.state;
    const hasDeadline = STATUS_FACTS[status].stage !== null;
    const hasWork = () =>
      requests.length > 0 ||
      webhooks.isDue() ||
      !isSameMove(run.state, from) ||
      (run.isAutoClaimDue && status === 'matched') ||
      isDone();
    while (!hasWork()) {
      run.traces = { origin };
      if (hasDeadline && timeoutAt) deadlineTimer.setFor(timeoutAt, deadlineBackoff(run));
      await condition(() => hasWork() || deadlineTimer.hasRung());
      const isDue = deadlineTimer.reset(timeoutAt);
      if (!isDue || hasWork()) continue;
      const command = await onDeadline(from.version, run.traces);
      // The deadline of a state that a refresh has replaced is void.
      return isSameMove(run.state, from) ? ownRequest(command, run.traces) : undefined;
    }
    return requests.shift();
  }

  function isDone(): boolean {
    return isFinal(run.state.status) && requests.length === 0 && webhooks.isIdle();
  }
}

type OnDeadline = (version: number, traces: TraceContext) => Promise<Command>;
/** The database checks that the deadline has passed. The table says what happens then. */
const missDeadline: OnDeadline = async (version) => ({ trigger: 'deadline', version });
