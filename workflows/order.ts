import {
  condition,
  continueAsNew,
  defineSignal,
  log,
  proxyLocalActivities,
  setHandler,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import type { AutoClaimActivities } from '../activities/auto-claims.ts';
import { type Command, SIGNAL_TRIGGERS, type SignalTrigger } from '../src/domain/order-commands.ts';
import { deadlineAfter, decide } from '../src/domain/order-decision.ts';
import {
  isFinal,
  MISSED_DEADLINE,
  type OrderState,
  type OrderStatus,
  STATUS_FACTS,
} from '../src/domain/order-state.ts';
import type { RequestAnswer, StepActivities } from '../src/domain/steps.ts';
import type { Traced } from '../src/domain/traced.ts';
import { createAlarm } from './alarm.ts';
import { watchChain } from './chain-watch.ts';
import {
  type Envelope,
  OFFER_SIGNAL,
  type OrderInput,
  type OrderSignals,
  type RedeliverSignal,
  type RefreshSignal,
} from './messages.ts';
import { showInTemporal } from './visibility.ts';
import { createWebhookQueue } from './webhook-queue.ts';

/** One database statement each. Retried for as long as the database is away; what is refused comes back as a value. */
const steps = proxyLocalActivities<StepActivities & AutoClaimActivities>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumInterval: '2s' },
});

/** A command with the request that its outcome is recorded under. */
interface Request extends Envelope {
  command: Command;
  /** Nobody waits for the answer: a refusal is not recorded. */
  unasked?: true;
}

const refreshSignal = defineSignal<[RefreshSignal]>('refresh');
const redeliverSignal = defineSignal<[RedeliverSignal]>('redeliver');
const offerSignal = defineSignal(OFFER_SIGNAL);

/**
 * One order, from its row to its end: the only place where its status changes.
 * Commands, from outside and from the workflow itself, stand in one queue and are carried out one at a time.
 *
 * One local activity is under way at a time. With two, what their results make this code do may come in one order at
 * first, when each is an activation of its own, and in another when both are replayed together.
 *
 * What is done never hangs on this code's clock, which arms timers and nothing else: while a step waits for the database,
 * Temporal gives out one workflow task after the other, and when these are replayed the clock of the first shows the
 * time of the last. Deadlines, and what comes too late, are the database's to tell.
 */
export async function order(input: OrderInput): Promise<OrderStatus> {
  const { orderId, durations } = input;
  const queue: Request[] = [];
  let state = input.state;
  let autoClaimDue = input.autoClaims;
  /** While the service has not made up for its absence, a deadline is asked for again after this. */
  let patience = { version: 0, ms: 0 };
  const causeOf = (trace?: string): Traced => ({
    ...(trace !== undefined && { trace }),
    ...(input.origin !== undefined && { origin: input.origin }),
  });
  /** Whose doing is what is done now, for traces; what the order does by itself is nobody's. */
  let cause = causeOf(input.trace);
  const chain = watchChain(orderId, (command, { trace }) => queue.push(fromOrder(command, trace)));
  const webhooks = createWebhookQueue(orderId, input.webhooks, cause);
  const alarm = createAlarm();

  for (const trigger of SIGNAL_TRIGGERS) receive(trigger);
  setHandler(refreshSignal, (row) => {
    if (row.state.version <= state.version) return;
    enter(row.state);
    webhooks.replace(row.webhooks, causeOf());
  });
  setHandler(redeliverSignal, ({ seq, trace }) => webhooks.add(seq, causeOf(trace)));
  setHandler(offerSignal, () => {
    autoClaimDue = true;
  });

  for (;;) {
    const { version } = state;
    await webhooks.deliverDue();
    await chain.follow(state, cause);
    if (autoClaimDue) await claimAutomatically();
    // What came meanwhile is seen to before anything is waited for.
    if (state.version !== version) continue;
    if (workflowInfo().continueAsNewSuggested && queue.length === 0 && webhooks.isIdle()) {
      // However often it is asked in vain, an order can go on: Temporal limits the signals and events of one run.
      const next = { orderId, state, durations, webhooks: [], autoClaims: false, ...causeOf() };
      await continueAsNew<typeof order>(next);
    }
    const request = await nextRequest();
    if (request) await carryOut(request);
    else if (isFinal(state.status) && webhooks.isIdle()) return state.status;
  }

  function receive<Name extends SignalTrigger>(trigger: Name) {
    setHandler(
      defineSignal<[OrderSignals[Name]]>(trigger),
      ({ requestId, actor, trace, ...fields }: Envelope) => {
        const command = { trigger, ...fields } as unknown as Command;
        queue.push({ requestId, actor, command, ...(trace !== undefined && { trace }) });
      },
    );
  }

  /** The next command; a passed deadline is one. Undefined when there is none, but the order is no longer as it was. */
  async function nextRequest(): Promise<Request | undefined> {
    const { version, timeoutAt, status } = state;
    const { stage } = STATUS_FACTS[status];
    const finished = () => isFinal(state.status) && webhooks.isIdle();
    const somethingToDo = () =>
      queue.length > 0 || autoClaimDue || webhooks.isDue() || state.version !== version || finished();
    while (!somethingToDo()) {
      cause = causeOf();
      if (stage && timeoutAt) alarm.setFor(timeoutAt, patience.version === version ? patience.ms : 0);
      await condition(() => somethingToDo() || alarm.hasRung());
      const isDue = alarm.silence(timeoutAt);
      if (!isDue || somethingToDo()) continue;
      if (stage === 'verify') return fromOrder(await chain.lastLook(version, cause));
      return fromOrder({ trigger: 'deadline', version });
    }
    return queue.shift();
  }

  /** Asks the state machine, and has the database carry out what it says. */
  async function carryOut(request: Request): Promise<void> {
    const { requestId, actor, trace } = request;
    let { command } = request;
    cause = causeOf(trace);
    for (;;) {
      const decision = decide(state, command);
      if (decision.kind !== 'apply') {
        queue.unshift({ ...request, command });
        return answerWithoutStep();
      }
      const { step, to } = decision;
      const { version } = state;
      const deadline = deadlineAfter(state, command, to, durations);
      const reason = reasonFor(command, state);
      const { result, ...report } = await steps[step].executeWithOptions(
        { summary: `${state.status} → ${to}, asked by ${actor}` },
        [{ orderId, version, requestId, to, deadline, actor, command, reason, ...cause }],
      );
      enter(report.state);
      if (report.owed) webhooks.replace(report.owed, cause);
      else if (report.webhook !== null) webhooks.add(report.webhook, cause);
      if (result === 'nobody_else' && (command.trigger === 'release' || command.trigger === 'deadline')) {
        command = { ...command, nobodyElse: true };
      } else if (result === 'out_of_service') {
        const before = patience.version === version ? patience.ms : 0;
        patience = { version, ms: Math.min(Math.max(1_000, 2 * before), LONGEST_PATIENCE_MS) };
        return;
      } else if (result === 'stale') {
        log.warn('the order had moved without its workflow; deciding again on its row', { version });
      } else return;
    }
  }

  /** Those who lose a race for an order come at the same moment: they are answered together. */
  async function answerWithoutStep(): Promise<void> {
    const answers: RequestAnswer[] = [];
    for (let next = queue[0]; next && answers.length < MOST_ANSWERS; next = queue[0]) {
      const decision = decide(state, next.command);
      if (decision.kind === 'apply') break;
      queue.shift();
      if (next.unasked) continue;
      const result = decision.kind === 'already' ? 'already' : decision.code;
      const { requestId, trace } = next;
      answers.push({ requestId, result, ...(trace !== undefined && { trace }) });
    }
    if (answers.length === 0) return;
    const summary = [...new Set(answers.map(({ result }) => result))].join(', ');
    await steps.answer.executeWithOptions({ summary }, [{ orderId, answers, ...causeOf(answers[0]?.trace) }]);
  }

  /**
   * Claims the order for the LPs that want it done for them, one after the other until one has it. Each try is an
   * ordinary claim: what the look could not know, such as collateral locked meanwhile, the claim itself refuses.
   */
  async function claimAutomatically(): Promise<void> {
    autoClaimDue = false;
    // A worker that comes late must not hand an LP an order whose time to be claimed is over.
    const { version, timeoutAt: validUntil } = state;
    if (state.status !== 'matched' || validUntil === null) return;
    const summary = 'look who claims automatically';
    for (const claim of await steps.findAutoClaims.executeWithOptions({ summary }, [{ orderId, ...cause }])) {
      if (state.version !== version) return;
      const actor = `lp:${claim.lpId}`;
      const request = fromOrder({ trigger: 'autoClaim', ...claim, validUntil }, cause.trace);
      await carryOut({ ...request, actor });
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
}

/** Why the order moves, where the command or the clock says so. What people write is no business of Temporal's. */
function reasonFor(command: Command, state: OrderState): string | null {
  if (command.trigger === 'invalid') return command.reason;
  if (command.trigger === 'verified') return command.note;
  const { stage } = STATUS_FACTS[state.status];
  if (command.trigger !== 'deadline' || !stage) return null;
  return command.seen ? `${MISSED_DEADLINE[stage]}: ${command.seen}` : MISSED_DEADLINE[stage];
}

const LONGEST_PATIENCE_MS = 60_000;
/** Answers that are recorded by one statement. */
const MOST_ANSWERS = 100;

/** What the order does by itself. */
const fromOrder = (command: Command, trace?: string): Request => ({
  requestId: uuid4(),
  actor: 'service',
  command,
  unasked: true,
  ...(trace !== undefined && { trace }),
});
