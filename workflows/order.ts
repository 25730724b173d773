import {
  continueAsNew,
  defineSignal,
  type SignalDefinition,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { NOTICE_TRIGGERS, type Notice, SIGNAL_TRIGGERS } from '../src/domain/order-commands.ts';
import { isSameMove, type OrderState, type OrderStatus } from '../src/domain/order-state.ts';
import type { TraceContext } from '../src/domain/trace-context.ts';
import { applyCommand } from './apply-command.ts';
import { claimAutomatically } from './auto-claims.ts';
import type { Envelope, OrderInput } from './messages.ts';
import { hasNoneWaiting, isDone, missDeadline, nextRequest } from './next-request.ts';
import { createNextRun } from './next-run.ts';
import { takeNotices } from './notices.ts';
import { type OrderRun, showState, startRun } from './order-run.ts';
import { receivedCommand, traceOf } from './received-command.ts';

const commandSignals = SIGNAL_TRIGGERS.map((trigger) => ({
  trigger,
  signal: defineSignal<[Envelope]>(trigger),
}));
const noticeSignals = NOTICE_TRIGGERS.map((trigger) => ({
  trigger,
  signal: defineSignal<[Envelope<Notice>]>(trigger),
}));

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
  const { orderId, webhooks, chain, origin } = run;
  const nextRun = createNextRun(input.sleepsUntil);

  receiveSignals(run);

  for (;;) {
    await takeNotices(run);
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
        // The settle step completes an order whose payment is final at once. Others are verified until they have a verdict.
        chain.follow(run.state, run.traces);
        await nextStep(state, chain.checkLastTime);
        break;
      case 'disputed':
        // An admin resolves the dispute. No clock runs.
        await nextStep(state);
        break;
      case 'completed':
      case 'cancelled':
        // The workflow ends when it has delivered every webhook and refused late commands.
        if (isDone(run)) {
          showState(run);
          return status;
        }
        await nextStep(state);
    }
  }

  /** Waits for a command or the deadline, and carries it out. Returns without a step if other work comes first. */
  async function nextStep(from: OrderState, onDeadline = missDeadline): Promise<void> {
    if (!isSameMove(run.state, from)) return;
    if (
      hasNoneWaiting(run) &&
      webhooks.isIdle() &&
      // Last: on replay, Temporal may suggest it sooner than it did, and `mayBegin` starts a timer.
      workflowInfo().continueAsNewSuggested &&
      nextRun.mayBegin()
    ) {
      // Temporal limits the signals and events of one run. An order that refuses many commands could reach the limit.
      const { state, isAutoClaimDue: autoClaims } = run;
      showState(run);
      await continueAsNew<typeof order>({ orderId, state, webhooks: [], autoClaims, origin });
    }
    const request = await nextRequest(run, from, onDeadline);
    if (request) await applyCommand(run, request);
  }
}

/** Registers the signals. Their handlers only record what to do; the main loop does it. */
function receiveSignals({ requests, notices, origin }: OrderRun): void {
  for (const { trigger, signal } of commandSignals) {
    on(signal, (message, traces) => {
      requests.push({ ...receivedCommand(trigger, message), traces, isOwn: false });
    });
  }
  for (const { trigger, signal } of noticeSignals) {
    on(signal, (message, traces) => {
      notices.push({ ...receivedCommand<Notice>(trigger, message), traces });
    });
  }

  function on<Message extends TraceContext>(
    signal: SignalDefinition<[Message]>,
    record: (message: Message, traces: TraceContext) => void,
  ): void {
    setHandler(signal, (message) => record(message, { trace: traceOf(message), origin }));
  }
}
