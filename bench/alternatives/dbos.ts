import { DBOS } from '@dbos-inc/dbos-sdk';
import { ANSWER_WITHIN_MS, type Answer, CHANGES, type ChangeRequest, completion } from './changes.ts';
import { createEngine, type Engine, type EngineDeps, NoAnswer } from './engine.ts';
import { carryOut, verifyPayment } from './schema.ts';
import { sendWebhook } from './webhook.ts';

const TOPIC = 'requests';
/** If no request arrives within this time, the workflow waits again. */
const LISTEN_S = 3_600;
/** Without an answer after this time, the caller checks whether the order's workflow still runs. */
const CHECK_AFTER_MS = 1_000;
const workflowId = (orderId: number) => `order-${orderId}`;

/**
 * DBOS Transact: a durable workflow per order, which keeps its state in the same PostgreSQL. A request is a message to
 * the workflow, a step performs it, and the answer is an event with the request's id as its key.
 */
export async function createDbos({ pool, databaseUrl }: EngineDeps): Promise<Engine> {
  const order = DBOS.registerWorkflow(
    async (orderId: number, callbackUrl: string | null): Promise<void> => {
      for (;;) {
        const request = await DBOS.recv<ChangeRequest>(TOPIC, LISTEN_S);
        if (!request) continue;
        const answer = await DBOS.runStep(() => carryOut(pool, orderId, request), {
          name: request.change,
          retriesAllowed: true,
          maxAttempts: 20,
          intervalSeconds: 0.1,
        });
        await DBOS.setEvent(request.id, answer);
        if (answer === 'refused') continue;
        await notify(orderId, callbackUrl, CHANGES[request.change].to);
        if (request.change === 'settle') break;
      }
      await DBOS.runStep(() => verifyPayment(pool, orderId), {
        name: 'verify',
        retriesAllowed: true,
        maxAttempts: 20,
        intervalSeconds: 1,
        backoffRate: 1.5,
      });
      await DBOS.runStep(() => carryOut(pool, orderId, completion(orderId)), {
        name: 'complete',
        retriesAllowed: true,
        maxAttempts: 20,
        intervalSeconds: 0.1,
      });
      await notify(orderId, callbackUrl, CHANGES.complete.to);
    },
    { name: 'order' },
  );
  DBOS.setConfig({
    name: 'corridor-bench',
    systemDatabaseUrl: databaseUrl,
    // The size of the other pool. With the default of ten, at most five waits can poll at the same time.
    systemDatabasePoolSize: 20,
    logLevel: 'warn',
  });
  await DBOS.launch();

  return createEngine(pool, {
    begin: (orderId, callbackUrl) =>
      DBOS.startWorkflow(order, { workflowID: workflowId(orderId) })(orderId, callbackUrl),
    carryOut: async (orderId, request) => {
      const id = workflowId(orderId);
      await DBOS.send(id, request, TOPIC);
      const answered = (withinMs: number) => DBOS.getEvent<Answer>(id, request.id, withinMs / 1_000);
      const soon = await answered(CHECK_AFTER_MS);
      if (soon) return soon;
      // A workflow that has ended reads no more requests.
      const workflow = await DBOS.getWorkflowStatus(id);
      if (workflow?.status === 'SUCCESS') return 'refused';
      const late = await answered(ANSWER_WITHIN_MS - CHECK_AFTER_MS);
      if (late) return late;
      throw new NoAnswer(`No answer to ${request.id} in time`);
    },
    close: () => DBOS.shutdown(),
  });
}

/** Sends the order's webhook in a step of the workflow. */
async function notify(orderId: number, callbackUrl: string | null, status: string): Promise<void> {
  if (!callbackUrl) return;
  await DBOS.runStep(() => sendWebhook(callbackUrl, orderId, status), {
    name: 'webhook',
    retriesAllowed: true,
    maxAttempts: 20,
    intervalSeconds: 1,
  });
}
