import { log, proxyLocalActivities } from '@temporalio/workflow';
import { decide } from '../src/domain/order-decision.ts';
import {
  type AnswersInput,
  isFinding,
  type StepActivities,
  type StepReport,
} from '../src/domain/order-steps.ts';
import {
  backOffDeadline,
  enterState,
  type OrderRun,
  type QueuedRequest,
  retryDeadlineIn,
} from './order-run.ts';

/**
 * Each step is one database statement. Temporal retries it for as long as the database is unavailable. A refusal is a
 * result, not an error.
 */
const steps = proxyLocalActivities<StepActivities>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumInterval: '2s' },
});

/** Asks the state machine which step a command takes, and has the database carry it out. */
export async function applyCommand(run: OrderRun, request: QueuedRequest): Promise<void> {
  const { orderId } = run;
  const { requestId, actor, signature, forVersion, traces } = request;
  let { command } = request;
  run.traces = traces;
  for (;;) {
    const { state } = run;
    const decision = decide(state, command);
    if (decision.kind !== 'apply') {
      run.requests.unshift({ ...request, command });
      return answerWithoutStep(run);
    }
    const { step, to } = decision;
    const { result, ...report } = await steps[step].executeWithOptions(
      { summary: `${state.status} → ${to}, asked by ${actor}` },
      [{ orderId, state, requestId, actor, command, signature, forVersion, ...traces }],
    );
    const hasMoved = enterReport(run, report);

    if (result === 'not_yet') return retryDeadlineIn(run, report.dueInMs ?? 0);
    if (result === 'clock_stopped') return backOffDeadline(run);
    if (result === 'no_verdict') return checkAgain(run, request);
    if (result === 'stale') {
      log.warn('the row is not at the state of the workflow; deciding again from the row', {
        version: state.version,
      });
      // The finding of an earlier step may no longer hold.
      command = request.command;
      // A verdict or a deadline holds only for its own state, and the row can have the same version with another
      // status.
      if (hasMoved && request.isOwn && 'version' in command) return;
    } else if (isFinding(result) && (command.trigger === 'release' || command.trigger === 'deadline'))
      command = { ...command, found: result };
    else return;
  }
}

/**
 * The workflow received a verdict that the database does not have. The database may have lost it in a failover, so the
 * workflow checks the chain again. A verdict from a signal is forged and changes nothing.
 */
function checkAgain({ orderId, chain, state }: OrderRun, { isOwn, actor }: QueuedRequest): void {
  log.warn('the database has no such verdict', { orderId, version: state.version, actor });
  if (isOwn) chain.stop();
}

/** Enters the row's state from the report of a step or an answer. Returns whether the order has moved. */
export function enterReport(
  run: OrderRun,
  { state, webhook, owed, followUp }: Omit<StepReport, 'result'>,
): boolean {
  if (owed) run.webhooks.replace(owed, run.traces);
  else if (webhook !== null) run.webhooks.addTried(webhook, run.traces);
  const hasMoved = enterState(run, state);
  if (followUp) enterReport(run, followUp);
  return hasMoved;
}

/** One statement records at most this many answers. */
const MAX_ANSWERS = 100;

/**
 * Records the answers to the commands at the head of the queue that need no step. One statement answers many LPs that
 * lost the same race.
 */
async function answerWithoutStep(run: OrderRun): Promise<void> {
  const { orderId, state, requests, traces } = run;
  const answered: QueuedRequest[] = [];
  const results = new Set<string>();
  for (let next = requests[0]; next && answered.length < MAX_ANSWERS; next = requests[0]) {
    const decision = decide(state, next.command);
    if (decision.kind === 'apply') break;
    requests.shift();
    if (next.isOwn) continue;
    results.add(decision.kind === 'already' ? 'already' : decision.code);
    answered.push(next);
  }
  const [first] = answered;
  if (!first) return;
  const report = await steps.answer.executeWithOptions({ summary: [...results].join(', ') }, [
    { orderId, state, requests: answered.map(toAnswer), ...traces, trace: first.traces.trace },
  ]);
  if (!report) return;
  // The row has moved, so the answers may be wrong. The main loop decides again from the row.
  requests.unshift(...answered);
  enterReport(run, report);
}

const toAnswer = ({
  requestId,
  actor,
  command,
  signature,
  forVersion,
  traces: { trace },
}: QueuedRequest): AnswersInput['requests'][number] => ({
  ...{ requestId, actor, command, signature, forVersion, trace },
});
