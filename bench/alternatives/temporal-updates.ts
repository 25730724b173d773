import { WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type pg from 'pg';
import { ANSWER_WITHIN_MS, type Answer, type ChangeRequest, completion, REFUSED } from './changes.ts';
import { createEngine, type Engine, type EngineDeps } from './engine.ts';
import { carryOut, verifyPayment } from './schema.ts';
import { startTemporalParts } from './temporal.ts';
import { sendWebhook } from './webhook.ts';

/**
 * Temporal as its documentation recommends for requests with an answer: an Update per request. Its handler performs the
 * change in a local activity, and its validator refuses a change that the workflow knows to be impossible.
 */
export async function createTemporalUpdates({ pool, temporalAddress }: EngineDeps): Promise<Engine> {
  const temporal = await startTemporalParts({
    address: temporalAddress,
    taskQueue: 'bench-updates',
    workflows: new URL('./workflows/temporal-updates.ts', import.meta.url),
    activities: updateActivities(pool),
  });
  return createEngine(pool, {
    begin: (orderId, callbackUrl) => temporal.start('order', orderId, callbackUrl),
    carryOut: async (orderId, request) => {
      const workflow = temporal.handle(orderId);
      const update = () =>
        workflow.executeUpdate<Answer, [ChangeRequest]>('request', { args: [request], updateId: request.id });
      const giveUpAt = Date.now() + ANSWER_WITHIN_MS;
      for (;;) {
        try {
          return await temporal.withDeadline(update);
        } catch (error) {
          if (isRefusal(error)) return 'refused';
          if (!wasUnprocessed(error) || Date.now() > giveUpAt) throw error;
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
  sendWebhook,
});

/** The validator refused the request, or the order has ended or never existed. */
const isRefusal = (error: unknown): boolean =>
  error instanceof WorkflowNotFoundError || failedAs(error, REFUSED);

/**
 * The worker completed a workflow task without processing the Update. This happens if dozens arrive for one workflow
 * whose local activities run. The Update had no effect, so the caller can retry.
 */
const wasUnprocessed = (error: unknown): boolean => failedAs(error, 'UnprocessedUpdate');

const failedAs = (error: unknown, type: string): boolean =>
  error instanceof WorkflowUpdateFailedError &&
  error.cause instanceof ApplicationFailure &&
  error.cause.type === type;
