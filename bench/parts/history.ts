import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import proto from '@temporalio/proto';
import { expectStatus } from '../../demo/http.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../demo/webhook-receiver.ts';
import {
  claim,
  confirm,
  fiatSent,
  newAgent,
  newLp,
  pay,
  settle,
  transaction,
} from '../../test/support/actors.ts';
import { eventually } from '../../test/support/eventually.ts';
import { orderWorkflowId } from '../../workflows/messages.ts';
import { startCorridorProcess, WEBHOOK_SECRET } from '../corridor.ts';
import { spread } from '../figures.ts';
import type { Surroundings } from './part.ts';

/** Of an order from its payment to its end, with webhooks: the medians of several. */
export interface HistoryFigures {
  /** Events of its workflow's history. */
  events: number;
  /** Workflow tasks among them. */
  tasks: number;
}

const COMPLETED_TASK = proto.temporal.api.enums.v1.EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED;
const WEBHOOKS = 5;

/** Whole orders, one after the other. Who acts next does so when nothing of what came before is under way, as people do. */
export async function measureHistory({ servers, ending, size }: Surroundings): Promise<HistoryFigures> {
  const corridor = await startCorridorProcess(servers);
  ending.add(corridor.process.stop);
  const receiver = await startWebhookReceiver(WEBHOOK_SECRET);
  const connection = await Connection.connect({ address: servers.temporalAddress });
  try {
    const agent = await newAgent(corridor.actors);
    const lp = await newLp(corridor.actors, { collateral: 1_000_000 });
    const client = new Client({ connection, namespace: corridor.namespace });
    const events: number[] = [];
    const tasks: number[] = [];
    // The first makes the code warm: a step that takes long has more tasks. It counts for nothing.
    for (let n = 0; n <= size.histories; n++) {
      const paid = await expectStatus(201, pay(agent, { callback_url: receiver.url }));
      const { order_id: id, crypto_required } = paid;
      const workflow = client.workflow.getHandle(orderWorkflowId(id));
      const steps = [
        () => claim(lp, id),
        () => fiatSent(lp, id),
        () => confirm(agent, id),
        async () =>
          settle(agent, id, await transaction(corridor.actors.anyone, lp.address, crypto_required.amount)),
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

/** Waits until the workflow waits: for no activity and no task. */
const untilIdle = (workflow: WorkflowHandle) =>
  eventually(async () => {
    const { pendingActivities, pendingWorkflowTask } = (await workflow.describe()).raw;
    return !pendingActivities?.length && !pendingWorkflowTask;
  });

function requireWebhooks({ received }: WebhookReceiver, orderId: number): void {
  const count = received.filter(({ body, answered }) => body.order_id === orderId && answered === 200).length;
  if (count !== WEBHOOKS) throw new Error(`Order ${orderId} had ${count} webhooks`);
}
