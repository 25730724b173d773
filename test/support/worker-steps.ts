import pino from 'pino';
import { stepActivities } from '../../activities/steps.ts';
import type { StepActivities, StepInput } from '../../src/domain/order-steps.ts';
import { NO_LIMITS } from '../../src/orders/steps/shared/step.ts';
import { createCommandVerifier } from '../../src/orders/verify-command.ts';
import { signCommand } from '../../src/temporal/command-signature.ts';
import type { Books } from './books.ts';

const SECRET = 'the-secret-of-the-api';

/** A worker's activities without an API. Their input comes from a history that an intruder may have written. */
export interface WorkerSteps {
  steps: StepActivities;
  /** The ids of the requests whose outcome the worker has announced. */
  announced: string[];
  /** The orders whose chain the worker has asked for the payment. */
  looked: number[];
  /** The input with the API's signature. */
  signed: (input: StepInput) => StepInput & { signature: string };
}

export function workerSteps({ db }: Pick<Books, 'db'>): WorkerSteps {
  const announced: string[] = [];
  const looked: number[] = [];
  const log = pino({ level: 'silent' });
  const steps = stepActivities({
    ...{ db, log, stepSettings: NO_LIMITS, orderMetrics: { stepped: () => undefined } },
    announce: ({ requestId }) => announced.push(requestId),
    // Left to the workflow.
    deliverInline: async () => 'later',
    firstLook: async (orderId) => void looked.push(orderId),
    verifyCommand: createCommandVerifier({ secrets: [SECRET], log, count: () => undefined }),
  });
  return {
    steps,
    announced,
    looked,
    signed: (input) => ({ ...input, signature: signCommand(SECRET, input) }),
  };
}
