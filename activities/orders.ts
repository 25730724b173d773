import { crashPoint } from '../src/crash-point.ts';
import { recordAnswers } from '../src/db/steps/perform-step.ts';
import type { StepActivities } from '../src/domain/steps.ts';
import type { ActivityDeps, PerformStep } from './deps.ts';

/** The steps that move an order and no money, and the answers that need no step. */
export const orderActivities = (perform: PerformStep, { db, announce }: ActivityDeps) =>
  ({
    markFiatSent: perform('markFiatSent'),
    confirm: perform('confirm'),
    settle: perform('settle'),
    rejectTransaction: perform('rejectTransaction'),
    cancelUnclaimed: perform('cancelUnclaimed'),
    openDispute: perform('openDispute'),
    retryVerification: perform('retryVerification'),
    extendDeadline: perform('extendDeadline'),
    advanceDeadline: perform('advanceDeadline'),
    freeze: perform('freeze'),
    unfreeze: perform('unfreeze'),
    answer: async ({ orderId, answers }) => {
      await recordAnswers(db, orderId, answers);
      crashPoint('answer.committed');
      for (const { requestId } of answers) announce(requestId);
    },
  }) satisfies Partial<StepActivities>;
