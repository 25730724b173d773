import { setTimeout as delay } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import type pg from 'pg';
import { ANSWER_WITHIN_MS, type Answer, type ChangeRequest, completion } from './changes.ts';
import { type Engine, engineOf, NoAnswer, type Surroundings } from './engine.ts';
import { answerTo, carryOut, recordRefusal, verifyPayment } from './schema.ts';
import { startTemporalParts } from './temporal.ts';

/** Often enough that the poll adds little to the answer, seldom enough that it is no load of its own. */
const POLL_EVERY_MS = 25;

/**
 * Temporal as one begins with it: a signal for each request, an ordinary activity for each change, and a handler that
 * looks at the rows until the answer is there.
 */
export async function createNaiveTemporal({ pool, temporalAddress }: Surroundings): Promise<Engine> {
  const temporal = await startTemporalParts({
    address: temporalAddress,
    taskQueue: 'bench-naive',
    workflows: new URL('./workflows/naive-temporal.ts', import.meta.url),
    activities: naiveActivities(pool),
  });
  return engineOf(pool, {
    begin: (orderId) => temporal.start('order', orderId),
    carryOut: async (orderId, request) => {
      const workflow = temporal.handle(orderId);
      try {
        await temporal.inTime(() => workflow.signal('request', request));
      } catch (error) {
        // An order that has ended, or was never there.
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
