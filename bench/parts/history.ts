import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import proto from '@temporalio/proto';
import { expectStatus } from '../../dev/http-client.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../dev/webhook-receiver.ts';
import {
  claim,
  confirm,
  fiatSent,
  newLp,
  newUnlimitedAgent,
  pay,
  settle,
  transaction,
} from '../../test/support/actors.ts';
import { eventually } from '../../test/support/eventually.ts';
import { orderWorkflowId } from '../../workflows/messages.ts';
import { startCorridorProcess, WEBHOOK_SECRET } from '../corridor.ts';
import { spread } from '../figures.ts';
import type { Surroundings } from './part.ts';

/** Medians over several completed orders with webhooks. */
export interface HistoryFigures {
  /** Events in the workflow's history. */
  events: number;
  /** Workflow tasks among them. */
  tasks: number;
}

const COMPLETED_TASK = proto.temporal.api.enums.v1.EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED;
const WEBHOOKS = 5;

/** Completes orders in sequence. As with people, the next actor acts when nothing is in flight. */
export async function measureHistory({ servers, cleanup, size }: Surroundings): Promise<HistoryFigures> {
  const corridor = await startCorridorProcess(servers);
  cleanup.add(corridor.process.stop);
  const receiver = await startWebhookReceiver(WEBHOOK_SECRET);
  const connection = await Connection.connect({ address: servers.temporalAddress });
  try {
    const agent = await newUnlimitedAgent(corridor.callers);
    const lp = await newLp(corridor.callers, { collateral: 1_000_000 });
    const client = new Client({ connection, namespace: corridor.namespace });
    const events: number[] = [];
    const tasks: number[] = [];
    // The first order is a warm-up and is not counted: a slow step takes more tasks.
    for (let n = 0; n <= size.histories; n++) {
      const paid = await expectStatus(201, pay(agent, { callback_url: receiver.url }));
      const { order_id: id, crypto_required } = paid;
      const workflow = client.workflow.getHandle(orderWorkflowId(id));
      const steps = [
        () => claim(lp, id),
        () => fiatSent(lp, id),
        () => confirm(agent, id),
        async () =>
          settle(agent, id, await transaction(corridor.callers.anyone, lp.address, crypto_required.amount)),
      ];
      for (const step of steps) {
        await untilIdle(workflow);
        await expectStatus(200, step());
      }
      await eventually(async () => (await workflow.describe()).status.name === 'COMPLETED');
      requireWebhooks(receiver, id);
      if (n === 0) continue;
      const history = (await workflow.fetchHistory()).events ?? [];
      events.push(history.length);
      tasks.push(history.filter(({ eventType }) => eventType === COMPLETED_TASK).length);
    }
    return { events: spread(events).median, tasks: spread(tasks).median };
  } finally {
    await connection.close();
    await receiver.close();
    await corridor.process.stop();
  }
}

/** Waits until the workflow has no pending activity and no pending task. */
const untilIdle = (workflow: WorkflowHandle) =>
  eventually(async () => {
    const { pendingActivities, pendingWorkflowTask } = (await workflow.describe()).raw;
    return !pendingActivities?.length && !pendingWorkflowTask;
  });

function requireWebhooks({ received }: WebhookReceiver, orderId: number): void {
  const count = received.filter(({ body, answered }) => body.order_id === orderId && answered === 200).length;
  if (count !== WEBHOOKS) throw new Error(`Order ${orderId} had ${count} webhooks, not ${WEBHOOKS}`);
}
