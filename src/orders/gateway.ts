import { Client, Connection, isGrpcServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import proto from '@temporalio/proto';
import type { Logger } from 'pino';
import {
  OFFER_SIGNAL,
  ORDER_WORKFLOW,
  type OrderInput,
  type OrderSignals,
  orderIdOf,
  orderWorkflowId,
  type RefreshSignal,
  SEARCH_ATTRIBUTES,
} from '../../workflows/messages.ts';
import { type OrderStatus, waitingFor } from '../domain/order-state.ts';

export const TASK_QUEUE = 'corridor-orders';
/** A call to Temporal must have ended well before the caller of the API gives up. */
const CALL_DEADLINE_MS = 2_000;
/** A list of everything that runs may take longer; nobody waits for it. */
const LIST_DEADLINE_MS = 15_000;
const PROBE_VALID_MS = 1_000;
/** A worker polls at least once a minute; one that has not for longer is gone. */
const POLLER_FRESH_MS = 70_000;

/** What the Temporal UI shows of an order that starts; the amounts that everybody may know. */
export interface OrderLabel {
  currency: string;
  amount_fiat: string;
}

/** The only user of the Temporal client: all that the service does with order workflows. */
export interface OrderGateway {
  /** Starts the order's workflow, unless it runs already. */
  start: (input: OrderInput, label: OrderLabel) => Promise<void>;
  /** False when there is no running workflow to take the signal. */
  signal: <Name extends keyof OrderSignals>(
    orderId: number,
    name: Name,
    payload: OrderSignals[Name],
  ) => Promise<boolean>;
  /** Tells a running workflow what its row says. */
  refresh: (orderId: number, row: RefreshSignal) => Promise<void>;
  /** Has the order's workflow send a webhook that it owes again; where none runs, starts one. */
  redeliver: (input: OrderInput, label: OrderLabel, seq: number) => Promise<void>;
  /** Has a running workflow look again who claims automatically. False when there is none. */
  offer: (orderId: number) => Promise<boolean>;
  /** All orders whose workflow runs, and the status that each believes in. */
  runningOrders: () => Promise<Map<number, OrderStatus | undefined>>;
  /** Whether Temporal answers; asked at most once a second. */
  isReachable: () => Promise<boolean>;
  /** Whether a worker takes tasks of the orders' queue. */
  hasWorker: () => Promise<boolean>;
  /** Makes the namespace and its search attributes where they are missing, and waits until they can be used. */
  ensureNamespace: (timeoutMs: number) => Promise<void>;
  close: () => Promise<void>;
}

export interface GatewayOptions {
  address: string;
  namespace: string;
  log: Logger;
}

export function createOrderGateway({ address, namespace, log }: GatewayOptions): OrderGateway {
  const connection = Connection.lazy({ address });
  const client = new Client({ connection, namespace });
  const withDeadline = <T>(call: () => Promise<T>, ms = CALL_DEADLINE_MS) =>
    client.withDeadline(Date.now() + ms, call);
  let probe: { at: number; result: Promise<boolean> } | undefined;

  return {
    start: async (input, label) => {
      await withDeadline(() =>
        client.workflow.start(ORDER_WORKFLOW, {
          ...startOptions(input, label),
          // The row decides what an order is; its versions make a second run of a workflow harmless.
          workflowIdConflictPolicy: 'USE_EXISTING',
        }),
      );
    },

    signal: (orderId, name, payload) =>
      isTaken(() => client.workflow.getHandle(orderWorkflowId(orderId)).signal(name, payload)),

    offer: (orderId) =>
      isTaken(() => client.workflow.getHandle(orderWorkflowId(orderId)).signal(OFFER_SIGNAL)),

    refresh: (orderId, row) =>
      withDeadline(() => client.workflow.getHandle(orderWorkflowId(orderId)).signal('refresh', row)),

    redeliver: async (input, label, seq) => {
      await withDeadline(() =>
        client.workflow.signalWithStart(ORDER_WORKFLOW, {
          ...startOptions(input, label),
          signal: 'redeliver',
          signalArgs: [{ seq }],
        }),
      );
    },

    runningOrders: () =>
      withDeadline(async () => {
        const orders = new Map<number, OrderStatus | undefined>();
        const query = `WorkflowType = '${ORDER_WORKFLOW}' AND ExecutionStatus = 'Running'`;
        for await (const { workflowId, typedSearchAttributes } of client.workflow.list({
          query,
          pageSize: 1_000,
        })) {
          const status = typedSearchAttributes.get(SEARCH_ATTRIBUTES.orderStatus);
          orders.set(orderIdOf(workflowId), status as OrderStatus | undefined);
        }
        return orders;
      }, LIST_DEADLINE_MS),

    isReachable: () => {
      if (!probe || Date.now() - probe.at > PROBE_VALID_MS) {
        const result = withDeadline(() => client.workflowService.getSystemInfo({})).then(
          () => true,
          () => false,
        );
        probe = { at: Date.now(), result };
      }
      return probe.result;
    },

    hasWorker: async () => {
      const { pollers } = await withDeadline(() =>
        client.workflowService.describeTaskQueue({
          namespace,
          taskQueue: { name: TASK_QUEUE },
          taskQueueType: proto.temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
        }),
      );
      const freshSince = Date.now() - POLLER_FRESH_MS;
      return (pollers ?? []).some(
        (poller) => Number(poller.lastAccessTime?.seconds ?? 0) * 1_000 > freshSince,
      );
    },

    ensureNamespace: async (timeoutMs) => {
      const giveUpAt = Date.now() + timeoutMs;
      for (;;) {
        try {
          await registerNamespace();
          await registerSearchAttributes();
          // A query that names an attribute fails until every part of the server has heard of it.
          await withDeadline(() =>
            client.workflow.count(`OrderStatus = 'matched' AND DueAt > '2020-01-01T00:00:00Z'`),
          );
          return;
        } catch (error) {
          if (Date.now() > giveUpAt) throw error;
          log.debug({ err: error }, 'namespace is not usable yet');
          await new Promise((resolve) => setTimeout(resolve, 200));
        }
      }
    },

    close: () => connection.close(),
  };

  async function isTaken(signal: () => Promise<void>): Promise<boolean> {
    try {
      await withDeadline(signal);
      return true;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  }

  async function registerNamespace() {
    await ignoreExisting(() =>
      client.workflowService.registerNamespace({
        namespace,
        workflowExecutionRetentionPeriod: msToTs(RETENTION),
      }),
    );
  }

  async function registerSearchAttributes() {
    const types = proto.temporal.api.enums.v1.IndexedValueType;
    const searchAttributes = Object.fromEntries(
      Object.values(SEARCH_ATTRIBUTES).map(({ name, type }) => [name, types[`INDEXED_VALUE_TYPE_${type}`]]),
    );
    await ignoreExisting(() =>
      connection.operatorService.addSearchAttributes({ namespace, searchAttributes }),
    );
  }

  async function ignoreExisting(call: () => Promise<unknown>) {
    await withDeadline(call, 10_000).catch((error) => {
      if (!(isGrpcServiceError(error) && error.code === GRPC_ALREADY_EXISTS)) throw error;
    });
  }
}

/** How the workflow of an order begins. */
function startOptions(input: OrderInput, { currency, amount_fiat }: OrderLabel) {
  const { state, orderId } = input;
  const attributes = SEARCH_ATTRIBUTES;
  return {
    workflowId: orderWorkflowId(orderId),
    taskQueue: TASK_QUEUE,
    args: [input] as [OrderInput],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
    // After a worker dies, another takes its task over within this time.
    workflowTaskTimeout: '2s' as const,
    staticSummary: `Order ${orderId}: deliver ${amount_fiat} ${currency}`,
    typedSearchAttributes: [
      { key: attributes.orderStatus, value: state.status },
      { key: attributes.waitingFor, value: waitingFor(state) },
      { key: attributes.currency, value: currency },
      ...(state.timeoutAt ? [{ key: attributes.dueAt, value: new Date(state.timeoutAt) }] : []),
      ...(state.lpId ? [{ key: attributes.lpId, value: state.lpId }] : []),
    ],
  };
}

const GRPC_ALREADY_EXISTS = 6;
/** How long the Temporal UI keeps an order that has ended. */
const RETENTION = '7 days';
