import { crashPoint } from '../src/crash-point.ts';
import { recordAnswer } from '../src/db/steps/perform-step.ts';
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
    freeze: perform('freeze'),
    unfreeze: perform('unfreeze'),
    answer: async (input) => {
      await recordAnswer(db, input);
      crashPoint('answer.committed');
      announce(input.requestId);
    },
  }) satisfies Partial<StepActivities>;
