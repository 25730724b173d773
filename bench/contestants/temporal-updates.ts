import { WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type pg from 'pg';
import { ANSWER_WITHIN_MS, type Answer, type ChangeRequest, completion, REFUSED } from './changes.ts';
import { type Engine, engineOf, type Surroundings } from './engine.ts';
import { carryOut, verifyPayment } from './schema.ts';
import { startTemporalParts } from './temporal.ts';

/**
 * Temporal as its documentation has it for requests that want an answer: an Update for each, whose handler carries
 * the change out in a local activity, and a validator that refuses what the workflow knows to be impossible.
 */
export async function createTemporalUpdates({ pool, temporalAddress }: Surroundings): Promise<Engine> {
  const temporal = await startTemporalParts({
    address: temporalAddress,
    taskQueue: 'bench-updates',
    workflows: new URL('./workflows/temporal-updates.ts', import.meta.url),
    activities: updateActivities(pool),
  });
  return engineOf(pool, {
    begin: (orderId) => temporal.start('order', orderId),
    carryOut: async (orderId, request) => {
      const workflow = temporal.handle(orderId);
      const update = () =>
        workflow.executeUpdate<Answer, [ChangeRequest]>('request', { args: [request], updateId: request.id });
      const giveUpAt = Date.now() + ANSWER_WITHIN_MS;
      for (;;) {
        try {
          return await temporal.inTime(update);
        } catch (error) {
          if (isRefusal(error)) return 'refused';
          if (!wasPassedOver(error) || Date.now() > giveUpAt) throw error;
        }
      }
    },
    close: temporal.close,
  });
}

export type UpdateActivities = ReturnType<typeof updateActivities>;

const updateActivities = (pool: pg.Pool) => ({
  carryOutRequest: (orderId: number, request: ChangeRequest) => carryOut(pool, orderId, request),
  verify: (orderId: number) => verifyPayment(pool, orderId),
  complete: (orderId: number) => carryOut(pool, orderId, completion(orderId)),
});

/** The validator's no, or an order that has ended or was never there. */
const isRefusal = (error: unknown): boolean =>
  error instanceof WorkflowNotFoundError || failedAs(error, REFUSED);

/**
 * The worker completed a workflow task without having looked at the Update, as happens when dozens come at once for one
 * workflow whose local activities run. Nothing was done, and it can be asked again.
 */
const wasPassedOver = (error: unknown): boolean => failedAs(error, 'UnprocessedUpdate');

const failedAs = (error: unknown, type: string): boolean =>
  error instanceof WorkflowUpdateFailedError &&
  error.cause instanceof ApplicationFailure &&
  error.cause.type === type;
