import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { decodeTypedSearchAttributes } from '@temporalio/common/lib/converter/payload-search-attributes.js';
import { ORDER_WORKFLOW, orderIdOf, orderWorkflowId, SEARCH_ATTRIBUTES } from '../../workflows/messages.ts';
import type { OrderStatus } from '../domain/order-state.ts';
import type { ObservedWorkflow } from '../domain/workflow-drift.ts';

/** Some of the orders with a running workflow, and the state that each shows. */
export interface RunningPage {
  orders: Map<number, ObservedWorkflow>;
  /** Where the next page begins. Undefined after the last one. */
  next: Uint8Array | undefined;
}

const RUNNING = `WorkflowType = '${ORDER_WORKFLOW}' AND ExecutionStatus = 'Running'`;
/** The largest page, and the most ids in a query. */
const MOST = 1_000;

/** The state that a workflow shows. */
export const observedState = ({
  typedSearchAttributes,
}: Pick<WorkflowExecutionInfo, 'typedSearchAttributes'>): ObservedWorkflow => ({
  status: typedSearchAttributes.get(SEARCH_ATTRIBUTES.orderStatus) as OrderStatus | undefined,
  version: typedSearchAttributes.get(SEARCH_ATTRIBUTES.version),
});

/** One page of at most `size` orders, from where `after` says. */
export async function runningPage(
  client: Client,
  { size = MOST, after, query = RUNNING }: { size?: number; after?: Uint8Array | undefined; query?: string },
): Promise<RunningPage> {
  const { executions, nextPageToken } = await client.workflowService.listWorkflowExecutions({
    ...{ namespace: client.options.namespace, query, pageSize: size },
    ...(after && { nextPageToken: after }),
  });
  const orders = new Map<number, ObservedWorkflow>();
  for (const { execution, searchAttributes } of executions) {
    const orderId = orderIdOf(execution?.workflowId ?? '');
    if (orderId === undefined) continue;
    const typedSearchAttributes = decodeTypedSearchAttributes(searchAttributes?.indexedFields);
    orders.set(orderId, observedState({ typedSearchAttributes }));
  }
  return { orders, next: nextPageToken?.length ? nextPageToken : undefined };
}

/** All orders with a running workflow. */
export async function allRunning(client: Client): Promise<Map<number, ObservedWorkflow>> {
  const orders = new Map<number, ObservedWorkflow>();
  let after: Uint8Array | undefined;
  do {
    const page = await runningPage(client, { after });
    for (const [id, workflow] of page.orders) orders.set(id, workflow);
    after = page.next;
  } while (after);
  return orders;
}

/** Those of the orders that have a running workflow. */
export async function runningAmong(
  client: Client,
  orderIds: readonly number[],
): Promise<Map<number, ObservedWorkflow>> {
  const found = new Map<number, ObservedWorkflow>();
  for (let from = 0; from < orderIds.length; from += MOST) {
    const names = orderIds.slice(from, from + MOST).map((id) => `'${orderWorkflowId(id)}'`);
    const { orders } = await runningPage(client, {
      query: `${RUNNING} AND WorkflowId IN (${names.join(', ')})`,
    });
    for (const [id, workflow] of orders) found.set(id, workflow);
  }
  return found;
}
