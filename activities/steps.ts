import type { WebhookActivities } from '../src/domain/activity-types.ts';
import type { Command } from '../src/domain/order-commands.ts';
import { answerTo } from '../src/domain/order-decision.ts';
import type { StepName } from '../src/domain/order-state.ts';
import {
  isUndecided,
  type StepActivities,
  type StepInput,
  type StepReport,
  type StepResult,
} from '../src/domain/order-steps.ts';
import {
  performStep,
  recordAnswers,
  refuseMoved,
  reportRow,
  unmoved,
} from '../src/orders/steps/perform-step.ts';
import { forEachStep } from '../src/orders/steps/registry.ts';
import { isOwnCommand, ownRequestId } from '../src/orders/verify-command.ts';
import { crashPoint } from '../src/process/crash-point.ts';
import type { OrderMetrics } from '../src/process/metrics/orders.ts';
import { createTurnsByKey } from '../src/process/turns.ts';
import type { ActivityDeps } from './deps.ts';
import { frozenIfLost } from './frozen-if-lost.ts';
import { inlineFinish } from './inline-finish.ts';
import type { FirstLook } from './verification.ts';

/**
 * How many claims of one LP a worker runs against the database at the same time. Each claim locks the row of the LP's
 * collateral: one holds the lock, and the others wait for it. More waiting claims would only occupy connections that other
 * orders need. PostgreSQL would also wake each of them in turn, which costs more than the claims; see docs/decisions.md.
 */
const MAX_CLAIMS_PER_LP = 4;

type StepDeps = Pick<ActivityDeps, 'db' | 'log' | 'announce' | 'stepSettings' | 'verifyCommand'> & {
  orderMetrics: Pick<OrderMetrics, 'stepped'>;
  deliverInline: WebhookActivities['deliverInline'];
  firstLook: FirstLook;
};

/** One activity for each step of the state machine, and one that records the answers to requests that need no step. */
export function stepActivities({
  db,
  log,
  announce,
  stepSettings,
  verifyCommand,
  orderMetrics,
  deliverInline,
  firstLook,
}: StepDeps): StepActivities {
  const claimsOf = createTurnsByKey<number>({ places: MAX_CLAIMS_PER_LP });
  const finish = inlineFinish({ deliverInline, firstLook, log }, perform);
  const steps = forEachStep(perform);
  return {
    ...steps,
    claim: (input) => claimsOf(claimingLp(input), () => steps.claim(input)),
    answer: async (input) => {
      const { orderId, state, requests } = input;
      const answers = requests
        .filter((request) => verifyCommand({ ...request, orderId }))
        .map(({ requestId, command }) => ({ requestId, result: answerTo(state, command) }));
      if (answers.length === 0) return null;
      const { row, result } = await recordAnswers(db, { orderId, state, answers });
      if (result === 'stale') return frozenIfLost({ db, log }, input, unmoved(result, row));
      crashPoint('answer.committed');
      for (const { requestId } of answers) announce({ requestId });
      return null;
    },
  };

  function perform(step: StepName): (input: StepInput) => Promise<StepReport> {
    return async (given) => {
      const isOwn = isOwnCommand(given);
      const input = isOwn ? ownInput(given) : given;
      crashPoint('step.begun');
      const began = performance.now();
      const count = (result: StepResult | 'error') =>
        orderMetrics.stepped(step, result, (performance.now() - began) / 1_000);
      const report = await performSigned(step, input, isOwn)
        .then((found) => frozenIfLost({ db, log }, input, found))
        .catch((error) => {
          count('error');
          throw error;
        });
      count(report.result);
      crashPoint('step.committed');
      const { requestId } = input;
      // Any other outcome may have been recorded by an earlier run, with another status.
      if (report.result === 'applied') announce({ requestId, applied: report.state.status });
      else if (!isUndecided(report.result)) announce({ requestId });
      return report.result === 'applied' ? finish(input, report) : report;
    };
  }

  /** Verifies that Corridor has sent the command, and takes its step. */
  async function performSigned(step: StepName, input: StepInput, isOwn: boolean): Promise<StepReport> {
    if (!isOwn && !verifyCommand(input)) return reportRow(db, input, 'unsigned');
    if (!isOwn && input.forVersion !== input.state.version) return refuseMoved(db, input);
    return performStep(db, step, input, stepSettings);
  }
}

/** A workflow's own commands are unsigned. So the worker sets the id and the actor itself. */
const ownInput = (input: StepInput): StepInput => ({
  ...input,
  requestId: ownRequestId(input),
  actor: ownActor(input.command),
});
const ownActor = (command: Command) => (command.trigger === 'autoClaim' ? `lp:${command.lpId}` : 'service');

function claimingLp({ orderId, command }: StepInput): number {
  if (command.trigger === 'claim' || command.trigger === 'autoClaim') return command.lpId;
  throw new TypeError(
    `The claim step of order ${orderId} got the command ${command.trigger}, which names no LP`,
  );
}
