import { setTimeout as delay } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import type pg from 'pg';
import { ANSWER_WITHIN_MS, type Answer, type ChangeName, type ChangeRequest, completion } from './changes.ts';
import { createEngine, type Engine, type EngineDeps, NoAnswer } from './engine.ts';
import {
  answerTo,
  carryOut,
  PLAIN,
  recordRefusal,
  type Statement,
  verifyPayment,
  WITH_LEDGER,
} from './schema.ts';
import { startTemporalParts } from './temporal.ts';
import { sendWebhook } from './webhook.ts';

/** Short enough to add little to the response time, long enough to cause little load. */
const POLL_EVERY_MS = 25;

/**
 * A beginner's use of Temporal: a signal for each request, a regular activity for each change, and a handler that polls
 * the rows for the answer.
 */
export const createNaiveTemporal = (deps: EngineDeps): Promise<Engine> =>
  createNaive(deps, { taskQueue: 'bench-naive', workflow: 'order', changes: PLAIN });

/** The same, with more of Corridor's work: deadline timers, a search attribute, a memo and a row of a ledger. */
export const createNaiveSameWork = (deps: EngineDeps): Promise<Engine> =>
  createNaive(deps, { taskQueue: 'bench-same-work', workflow: 'orderWithSameWork', changes: WITH_LEDGER });

interface Work {
  taskQueue: string;
  /** The name of the workflow's function. */
  workflow: string;
  changes: Record<ChangeName, Statement>;
}

async function createNaive(
  { pool, temporalAddress }: EngineDeps,
  { taskQueue, workflow: name, changes }: Work,
): Promise<Engine> {
  const temporal = await startTemporalParts({
    address: temporalAddress,
    taskQueue,
    workflows: new URL('./workflows/naive-temporal.ts', import.meta.url),
    activities: naiveActivities(pool, changes),
  });
  return createEngine(pool, {
    begin: (orderId, callbackUrl) => temporal.start(name, orderId, callbackUrl),
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

const naiveActivities = (pool: pg.Pool, changes: Record<ChangeName, Statement>) => ({
  carryOutRequest: async (orderId: number, request: ChangeRequest): Promise<Answer> => {
    const answer = await carryOut(pool, orderId, request, changes);
    if (answer === 'refused') await recordRefusal(pool, orderId, request);
    return answer;
  },
  verify: (orderId: number) => verifyPayment(pool, orderId),
  complete: (orderId: number) => carryOut(pool, orderId, completion(orderId), changes),
  sendWebhook,
});

async function polledAnswer(pool: pg.Pool, requestId: string): Promise<Answer> {
  const giveUpAt = Date.now() + ANSWER_WITHIN_MS;
  while (Date.now() < giveUpAt) {
    const answer = await answerTo(pool, requestId);
    if (answer) return answer;
    await delay(POLL_EVERY_MS);
  }
  throw new NoAnswer(`No answer to ${requestId} in time`);
}
