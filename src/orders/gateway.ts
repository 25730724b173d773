import { Client, Connection, type WorkflowExecutionInfo, WorkflowNotFoundError } from '@temporalio/client';
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
import type { WorkflowBelief } from '../domain/drift.ts';
import { type OrderStatus, waitingFor } from '../domain/order-state.ts';
import { carriedTrace, inTrace, ORDER_ID } from '../tracing/tracing.ts';
import { ensureNamespace } from './namespace.ts';
import { createReleases, type Releases } from './releases.ts';
import {
  lastTaskFailure,
  lookAtWorkflow,
  queueOf,
  type WorkflowLook,
  workersGivenWork,
} from './workflow-look.ts';

export const TASK_QUEUE = 'corridor-orders';
/** A call to Temporal must have ended well before the caller of the API gives up. */
const CALL_DEADLINE_MS = 2_000;
/** A list of everything that runs may take longer; nobody waits for it. */
const LIST_DEADLINE_MS = 15_000;
const PROBE_VALID_MS = 1_000;

/** What the Temporal UI shows of an order that starts; the amounts that everybody may know. */
export interface OrderLabel {
  currency: string;
  amount_fiat: string;
}

/** The only user of the Temporal client: all that the service does with order workflows. */
export interface OrderGateway {
  /** Starts the order's workflow, unless it runs already. */
  start: (input: OrderInput, label: OrderLabel) => Promise<void>;
  /** Starts the order's workflow in place of the one that runs, which is ended where it stands. */
  startAnew: (input: OrderInput, label: OrderLabel) => Promise<void>;
  /** False when there is no running workflow to take the signal. */
  signal: <Name extends keyof OrderSignals>(
    orderId: number,
    name: Name,
    payload: OrderSignals[Name],
  ) => Promise<boolean>;
  /** Tells a running workflow what its row says. False when there is none. */
  refresh: (orderId: number, row: RefreshSignal) => Promise<boolean>;
  /** Has the order's workflow send a webhook that it owes again; where none runs, starts one. */
  redeliver: (input: OrderInput, label: OrderLabel, seq: number) => Promise<void>;
  /** Tells a running workflow of a webhook that is to be sent again. False when there is none. */
  resend: (orderId: number, seq: number) => Promise<boolean>;
  /** Has a running workflow look again who claims automatically. False when there is none. */
  offer: (orderId: number) => Promise<boolean>;
  /** All orders whose workflow runs, and what each believes; Temporal's lists lag by moments. */
  runningOrders: () => Promise<Map<number, WorkflowBelief>>;
  /** What the workflow of one order believes at this very moment; undefined when none runs. */
  runningOrder: (orderId: number) => Promise<WorkflowBelief | undefined>;
  /** Whether the order's workflow has failed the last of its tasks that came to an end. Rejects when it has none. */
  failsItsTasks: (orderId: number) => Promise<boolean>;
  /** All that Temporal says of an order, for whoever asks why it stands still. Rejects when Temporal does not answer. */
  look: (orderId: number) => Promise<WorkflowLook>;
  /** Which workers orders go on with. */
  releases: Releases;
  /** Whether Temporal answers out of its namespace's store; asked at most once a second. */
  isReachable: () => Promise<boolean>;
  /** Whether a worker takes tasks of the orders' queue: one of the current release, where there is one. */
  hasWorker: () => Promise<boolean>;
  /** Makes the namespace and its search attributes where they are missing, and waits until they can be used. */
  ensureNamespace: (timeoutMs: number, signal?: AbortSignal) => Promise<void>;
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

  // The row decides what an order is; its versions make a second run of a workflow harmless.
  const startWhere =
    (workflowIdConflictPolicy: 'USE_EXISTING' | 'TERMINATE_EXISTING') =>
    async (input: OrderInput, label: OrderLabel) => {
      await traced('StartWorkflow', ORDER_WORKFLOW, input.orderId, async () => {
        const options = { ...startOptions({ ...input, ...carriedTrace() }, label), workflowIdConflictPolicy };
        await withDeadline(() => client.workflow.start(ORDER_WORKFLOW, options));
      });
    };

  return {
    start: startWhere('USE_EXISTING'),
    startAnew: startWhere('TERMINATE_EXISTING'),

    signal: (orderId, name, payload) =>
      traced('SignalWorkflow', name, orderId, () => {
        const told = { ...payload, ...carriedTrace() };
        return isTaken(() => client.workflow.getHandle(orderWorkflowId(orderId)).signal(name, told));
      }),

    offer: (orderId) =>
      isTaken(() => client.workflow.getHandle(orderWorkflowId(orderId)).signal(OFFER_SIGNAL)),

    refresh: (orderId, row) =>
      isTaken(() => client.workflow.getHandle(orderWorkflowId(orderId)).signal('refresh', row)),

    resend: (orderId, seq) =>
      isTaken(() => client.workflow.getHandle(orderWorkflowId(orderId)).signal('redeliver', { seq })),

    redeliver: async (input, label, seq) => {
      await traced('SignalWithStartWorkflow', 'redeliver', input.orderId, () =>
        withDeadline(() =>
          client.workflow.signalWithStart(ORDER_WORKFLOW, {
            ...startOptions(input, label),
            signal: 'redeliver',
            signalArgs: [{ seq, ...carriedTrace() }],
          }),
        ),
      );
    },

    runningOrders: () =>
      withDeadline(async () => {
        const orders = new Map<number, WorkflowBelief>();
        const query = `WorkflowType = '${ORDER_WORKFLOW}' AND ExecutionStatus = 'Running'`;
        for await (const workflow of client.workflow.list({ query, pageSize: 1_000 })) {
          const orderId = orderIdOf(workflow.workflowId);
          if (orderId !== undefined) orders.set(orderId, beliefOf(workflow));
        }
        return orders;
      }, LIST_DEADLINE_MS),

    runningOrder: async (orderId) => {
      try {
        const workflow = await withDeadline(() =>
          client.workflow.getHandle(orderWorkflowId(orderId)).describe(),
        );
        return workflow.status.name === 'RUNNING' ? beliefOf(workflow) : undefined;
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return undefined;
        throw error;
      }
    },

    failsItsTasks: async (orderId) => (await withDeadline(() => lastTaskFailure(client, orderId))) !== null,

    look: (orderId) => withDeadline(() => lookAtWorkflow(client, TASK_QUEUE, orderId)),

    releases: createReleases(client, TASK_QUEUE, (call) => withDeadline(call, LIST_DEADLINE_MS)),

    isReachable: () => {
      if (!probe || Date.now() - probe.at > PROBE_VALID_MS) {
        // What no order has; the answer that it is not there comes from the namespace's own store, and nothing less will do.
        const look = withDeadline(() => client.workflow.getHandle(orderWorkflowId(0)).describe());
        const result = look.then(
          () => true,
          (error) => error instanceof WorkflowNotFoundError,
        );
        probe = { at: Date.now(), result };
      }
      return probe.result;
    },

    hasWorker: async () => workersGivenWork(await withDeadline(() => queueOf(client, TASK_QUEUE))) > 0,

    ensureNamespace: (timeoutMs, signal) => ensureNamespace(client, namespace, timeoutMs, log, signal),

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
}

/** What a request has Temporal told, under the names that Temporal's own SDKs give it. */
const traced = <T>(what: string, name: string, orderId: number, work: () => Promise<T>): Promise<T> =>
  inTrace(() => ({ name: `${what}:${name}`, kind: 'client', attributes: { [ORDER_ID]: orderId } }), work);

const beliefOf = ({
  typedSearchAttributes,
}: Pick<WorkflowExecutionInfo, 'typedSearchAttributes'>): WorkflowBelief => ({
  status: typedSearchAttributes.get(SEARCH_ATTRIBUTES.orderStatus) as OrderStatus | undefined,
  version: typedSearchAttributes.get(SEARCH_ATTRIBUTES.version),
});

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
    staticDetails: `\`npm run admin -- why ${orderId}\` tells who acts next, and what is in its way.`,
    memo: { order_id: orderId, amount_fiat, currency },
    typedSearchAttributes: [
      { key: attributes.orderStatus, value: state.status },
      { key: attributes.version, value: state.version },
      { key: attributes.waitingFor, value: waitingFor(state) },
      { key: attributes.currency, value: currency },
      ...(state.timeoutAt ? [{ key: attributes.dueAt, value: new Date(state.timeoutAt) }] : []),
      ...(state.lpId ? [{ key: attributes.lpId, value: state.lpId }] : []),
    ],
  };
}
