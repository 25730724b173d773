import { Client, Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { expectStatus } from '../../demo/http.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../demo/webhook-receiver.ts';
import {
  type Agent,
  claim,
  confirm,
  fiatSent,
  newAgent,
  newLp,
  pay,
  settle,
  type TestLp,
  transaction,
} from '../../test/support/actors.ts';
import { eventually } from '../../test/support/eventually.ts';
import { orderWorkflowId } from '../../workflows/messages.ts';
import { type BenchCorridor, startCorridorProcess, WEBHOOK_SECRET } from '../corridor.ts';
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

/** Whole orders, one after the other. As people do, each acts when the webhook of what came before has arrived. */
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
    while (events.length < size.histories) {
      const history = await historyOf(client, await wholeOrder(corridor, receiver, agent, lp));
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

/** Gives its id when its last webhook has arrived. */
async function wholeOrder(
  { actors }: BenchCorridor,
  receiver: WebhookReceiver,
  agent: Agent,
  lp: TestLp,
): Promise<number> {
  const paid = await expectStatus(201, pay(agent, { callback_url: receiver.url }));
  const id: number = paid.order_id;
  const webhook = (status: string) =>
    receiver.next(({ body }) => body.order_id === id && body.status === status);
  await expectStatus(200, claim(lp, id));
  await webhook('claimed');
  await expectStatus(200, fiatSent(lp, id));
  await webhook('fiat_sent');
  await expectStatus(200, confirm(agent, id));
  await webhook('confirmed');
  const hash = await transaction(actors.anyone, lp.address, paid.crypto_required.amount);
  await expectStatus(200, settle(agent, id, hash));
  await webhook('completed');
  return id;
}

/** The whole history of an order's workflow, once it has ended. */
async function historyOf(client: Client, orderId: number) {
  const workflow = client.workflow.getHandle(orderWorkflowId(orderId));
  await eventually(async () => (await workflow.describe()).status.name === 'COMPLETED');
  return (await workflow.fetchHistory()).events ?? [];
}
