import { setTimeout as delay } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import type pg from 'pg';
import { ANSWER_WITHIN_MS, type Answer, type ChangeRequest, completion } from './changes.ts';
import { createEngine, type Engine, type EngineDeps, NoAnswer } from './engine.ts';
import { answerTo, carryOut, recordRefusal, verifyPayment } from './schema.ts';
import { startTemporalParts } from './temporal.ts';

/** Short enough to add little to the response time, long enough to cause little load. */
const POLL_EVERY_MS = 25;

/**
 * A beginner's use of Temporal: a signal for each request, a regular activity for each change, and a handler that polls
 * the rows for the answer.
 */
export async function createNaiveTemporal({ pool, temporalAddress }: EngineDeps): Promise<Engine> {
  const temporal = await startTemporalParts({
    address: temporalAddress,
    taskQueue: 'bench-naive',
    workflows: new URL('./workflows/naive-temporal.ts', import.meta.url),
    activities: naiveActivities(pool),
  });
  return createEngine(pool, {
    begin: (orderId) => temporal.start('order', orderId),
    carryOut: async (orderId, request) => {
      const workflow = temporal.handle(orderId);
      try {
        await temporal.withDeadline(() => workflow.signal('request', request));
      } catch (error) {
        // The order has ended, or never existed.
        if (error instanceof WorkflowNotFoundError) return 'refused';
        throw error;
      }
      return polledAnswer(pool, request.id);
    },
    close: temporal.close,
  });
}

export type NaiveActivities = ReturnType<typeof naiveActivities>;

const naiveActivities = (pool: pg.Pool) => ({
  carryOutRequest: async (orderId: number, request: ChangeRequest): Promise<Answer> => {
    const answer = await carryOut(pool, orderId, request);
    if (answer === 'refused') await recordRefusal(pool, orderId, request);
    return answer;
  },
  verify: (orderId: number) => verifyPayment(pool, orderId),
  complete: (orderId: number) => carryOut(pool, orderId, completion(orderId)),
});

async function polledAnswer(pool: pg.Pool, requestId: string): Promise<Answer> {
  const giveUpAt = Date.now() + ANSWER_WITHIN_MS;
  while (Date.now() < giveUpAt) {
    await delay(POLL_EVERY_MS);
    const answer = await answerTo(pool, requestId);
    if (answer) return answer;
  }
  throw new NoAnswer(`No answer to ${requestId} in time`);
}
