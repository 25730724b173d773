import { log, proxyLocalActivities } from '@temporalio/workflow';
import type { Command } from '../src/domain/order-commands.ts';
import { deadlineAfter, decide } from '../src/domain/order-decision.ts';
import { MISSED_DEADLINE, type OrderState, STATUS_FACTS } from '../src/domain/order-state.ts';
import type { RequestAnswer, StepActivities, StepReport } from '../src/domain/order-steps.ts';
import { backOffDeadline, enterState, type OrderRun, type Request, retryDeadlineIn } from './order-run.ts';

/**
 * Each step is one database statement. Temporal retries it for as long as the database is unavailable. A refusal is a
 * result, not an error.
 */
const steps = proxyLocalActivities<StepActivities>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumInterval: '2s' },
});

/** Asks the state machine which step a command takes, and has the database carry it out. */
export async function carryOut(run: OrderRun, request: Request): Promise<void> {
  const { orderId, durations } = run;
  const { requestId, actor, signature, traces } = request;
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
    const { version } = state;
    const deadline = deadlineAfter(state, command, to, durations);
    const reason = reasonFor(command, state);
    const { result, ...report } = await steps[step].executeWithOptions(
      { summary: `${state.status} → ${to}, asked by ${actor}` },
      [
        {
          orderId,
          version,
          from: state.status,
          requestId,
          to,
          deadline,
          actor,
          command,
          signature,
          reason,
          ...traces,
        },
      ],
    );
    const hasMoved = enterReport(run, report);

    if (result === 'not_yet') return retryDeadlineIn(run, report.dueInMs ?? 0);
    if (result === 'out_of_service') return backOffDeadline(run);
    if (result === 'no_verdict') return checkAgain(run, request);
    if (result === 'stale') {
      log.warn('the row is not at the state of the workflow; deciding again from the row', { version });
      // A verdict or a deadline holds only for the state it was found in, and the row can have its version in another status.
      if (hasMoved && request.isOwn && 'version' in command) return;
    } else if (result === 'nobody_else' && (command.trigger === 'release' || command.trigger === 'deadline'))
      command = { ...command, nobodyElse: true };
    else return;
  }
}

/**
 * A verdict reached the workflow that the database does not have. The database may have lost it in a failover: check again.
 * A verdict from a signal was made up. It changes nothing.
 */
function checkAgain({ orderId, chain, state }: OrderRun, { isOwn, actor }: Request): void {
  log.warn('the database has no such verdict', { orderId, version: state.version, actor });
  if (isOwn) chain.stop();
}

/** Enters the state that a step or an answer found in the row. Returns whether the order has moved. */
function enterReport(run: OrderRun, { state, webhook, owed }: Omit<StepReport, 'result'>): boolean {
  if (owed) run.webhooks.replace(owed, run.traces);
  else if (webhook !== null) run.webhooks.add(webhook, run.traces);
  return enterState(run, state);
}

/** One statement records at most this many answers. */
const MAX_ANSWERS = 100;

/**
 * Records the answers to the commands at the head of the queue that need no step. One statement answers many LPs that
 * lost the same race.
 */
async function answerWithoutStep(run: OrderRun): Promise<void> {
  const { orderId, state, requests, traces } = run;
  const { version, status: from } = state;
  const answered: Request[] = [];
  const answers: RequestAnswer[] = [];
  for (let next = requests[0]; next && answers.length < MAX_ANSWERS; next = requests[0]) {
    const decision = decide(state, next.command);
    if (decision.kind === 'apply') break;
    requests.shift();
    if (next.isOwn) continue;
    const result = decision.kind === 'already' ? 'already' : decision.code;
    answered.push(next);
    const { requestId, actor, command, signature, traces: ofCommand } = next;
    answers.push({ requestId, actor, command, signature, result, trace: ofCommand.trace });
  }
  const [first] = answers;
  if (!first) return;
  const summary = [...new Set(answers.map(({ result }) => result))].join(', ');
  const report = await steps.answer.executeWithOptions({ summary }, [
    { orderId, version, from, answers, ...traces, trace: first.trace },
  ]);
  if (!report) return;
  // The row has moved, so the answers may be wrong. The main loop decides again from the row.
  requests.unshift(...answered);
  enterReport(run, report);
}

/** Returns the reason for a move that the chain or the clock causes. Reasons that people write never reach Temporal. */
function reasonFor(command: Command, state: OrderState): string | null {
  if (command.trigger === 'invalid') return command.reason;
  if (command.trigger === 'verified') return command.note;
  if (command.trigger === 'revoke') return 'The agent’s key was revoked before any fiat was sent';
  const { stage } = STATUS_FACTS[state.status];
  if (command.trigger !== 'deadline' || !stage) return null;
  return command.seen ? `${MISSED_DEADLINE[stage]}: ${command.seen}` : MISSED_DEADLINE[stage];
}
