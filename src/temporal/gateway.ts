import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import type { Logger } from 'pino';
import {
  BULK_WORKFLOW,
  type Envelope,
  ORDER_WORKFLOW,
  type OrderInput,
  orderWorkflowId,
} from '../../workflows/messages.ts';
import { isFinal } from '../domain/order-state.ts';
import type { ObservedWorkflow } from '../domain/workflow-drift.ts';
import { carriedTrace } from '../process/tracing/tracing.ts';
import type { TemporalAccess } from '../settings/connection-options.ts';
import { openClient } from './client.ts';
import {
  countActiveWorkers,
  describeOrder,
  lastTaskFailure,
  type OrderDescription,
  queueOf,
} from './describe-order.ts';
import { checkNamespace, ensureNamespace } from './namespace.ts';
import { allRunning, observedState, type RunningPage, runningAmong, runningPage } from './running-orders.ts';
import { createSignals, traced } from './signals.ts';
import {
  type BulkLabel,
  bulkStartOptions,
  FIRST_START,
  type HowToStart,
  type OrderLabel,
  type OrderStart,
  sleeping,
  startOptions,
  TASK_QUEUE,
  TEMPORAL_TIMEOUTS,
  type TemporalTimeouts,
} from './start-options.ts';
import { createReleases, type Releases } from './versioning.ts';

/** An operator asks why an order stands still, often on a busy machine, and would rather wait than get no answer. */
const DESCRIBE_DEADLINE_MS = 5_000;
/** A list of all running workflows may take longer: no client waits for it. */
const LIST_DEADLINE_MS = 15_000;
const PROBE_VALID_MS = 1_000;

/** Everything that the service does with order workflows. No other folder uses the Temporal client. */
export interface OrderGateway {
  /** Starts the workflow of a new order. Does nothing if the order has or had a workflow: a claim may have been faster. */
  begin: (input: OrderInput, label: OrderLabel) => Promise<void>;
  /** The same, but the workflow runs only when its deadline passes or something wakes it. */
  beginAsleep: (input: OrderInput, label: OrderLabel) => Promise<void>;
  /** Starts the order's workflow, unless one runs already. */
  start: (input: OrderInput, label: OrderLabel) => Promise<void>;
  /** Terminates the order's workflow, if one runs, and starts another. */
  restart: (input: OrderInput, label: OrderLabel) => Promise<void>;
  /**
   * Signs a command, for one version of the order, and sends it in the signal of its trigger's name. Returns false when no
   * workflow runs to take it. `asleep`, here and below: the workflow may still sleep, and wakes. The order may also have
   * none yet, and then gets it; never a second one, because its first may have seen what the database has lost.
   */
  signal: (
    orderId: number,
    request: Omit<Envelope, 'signature' | 'trace'> & { forVersion: number },
    asleep?: OrderStart,
  ) => Promise<boolean>;
  /** Has a running workflow read its row again. Returns false when none runs. */
  refresh: (orderId: number, asleep?: OrderStart) => Promise<boolean>;
  /** Has the order's workflow send a webhook again. Starts a workflow if none runs. */
  redeliver: (input: OrderInput, label: OrderLabel, seq: number) => Promise<void>;
  /** Makes a running workflow send a webhook again. Returns false if none runs. */
  resend: (orderId: number, seq: number) => Promise<boolean>;
  /** Makes a running workflow search again for LPs with auto-claim. Returns false if none runs. */
  offer: (orderId: number, asleep?: OrderStart) => Promise<boolean>;
  /**
   * Starts the workflow of a bulk run, unless one runs. `isStuck`: replaces one that runs, because it does nothing. The rows of
   * the run say what the workflow does.
   */
  startBulk: (run: BulkLabel, isStuck: boolean) => Promise<void>;
  /** All orders with a running workflow, and the state that each shows. Temporal's lists lag a little. */
  runningOrders: () => Promise<Map<number, ObservedWorkflow>>;
  /** At most `size` of them, from where the page before ended. */
  runningPage: (size: number, after?: Uint8Array) => Promise<RunningPage>;
  /** Those of the orders that have a running workflow. */
  runningAmong: (orderIds: readonly number[]) => Promise<Map<number, ObservedWorkflow>>;
  /** The state that one order's workflow shows now. Undefined: none runs. */
  runningOrder: (orderId: number) => Promise<ObservedWorkflow | undefined>;
  /**
   * The state that one order's last workflow shows, even if it has ended. Undefined: Temporal has no workflow of the
   * order.
   */
  lastSeen: (orderId: number) => Promise<ObservedWorkflow | undefined>;
  /** Whether the last finished task of the order's workflow failed. Rejects if the order has no workflow. */
  hasFailedTask: (orderId: number) => Promise<boolean>;
  /** Describes an order's workflow and its workers, to explain why the order does not move. Rejects without Temporal. */
  describe: (orderId: number) => Promise<OrderDescription>;
  /** The release whose workers carry out orders. */
  releases: Releases;
  /** Whether Temporal's store answers for the namespace. Checked at most once a second. */
  isReachable: () => Promise<boolean>;
  /** Whether a worker takes tasks of the orders' queue: one of the current release, if there is one. */
  hasWorker: () => Promise<boolean>;
  /**
   * Creates the namespace and its search attributes if they are missing, and waits until they can be used. Does what
   * `checkNamespace` does if somebody else manages the namespace.
   */
  prepareNamespace: (timeoutMs: number, signal?: AbortSignal) => Promise<void>;
  /** Rejects with `IncompleteNamespace` if the namespace or one of its search attributes is missing. Creates nothing. */
  checkNamespace: (timeoutMs: number, signal?: AbortSignal) => Promise<void>;
  close: () => Promise<void>;
}

export interface GatewayOptions extends TemporalAccess {
  namespace: string;
  log: Logger;
  /** Signs commands. A gateway that sends none needs no secret. */
  commandSecret?: string;
  /** False: somebody else manages the namespace, and Corridor creates nothing in it. Default: true. */
  managesNamespace?: boolean;
  /** Read at each call. Default: those of an installation. */
  timeouts?: TemporalTimeouts;
}

export function createOrderGateway({
  namespace,
  log,
  commandSecret,
  managesNamespace = true,
  timeouts = TEMPORAL_TIMEOUTS,
  ...access
}: GatewayOptions): OrderGateway {
  const { client, close } = openClient(access, namespace, log);
  const withDeadline = <T>(call: () => Promise<T>, ms = timeouts.callMs) =>
    client().withDeadline(Date.now() + ms, call);
  const prepareNamespace = managesNamespace ? ensureNamespace : checkNamespace;
  let probe: { at: number; result: Promise<boolean> } | undefined;

  // Each step checks the row's version, so that a second run of a workflow does no harm.
  const startWith = (how: HowToStart) => async (input: OrderInput, label: OrderLabel) => {
    await traced('StartWorkflow', ORDER_WORKFLOW, input.orderId, async () => {
      const options = { ...startOptions({ ...input, ...carriedTrace() }, label, timeouts), ...how };
      await withDeadline(() => client().workflow.start(ORDER_WORKFLOW, options));
    });
  };

  const unlessStarted = (starting: Promise<void>) =>
    starting.catch((error) => {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    });

  const { signed, signedNotice, sendSignal, signalWithStart } = createSignals(
    { client, withDeadline, timeouts },
    commandSecret,
  );

  return {
    begin: (input, label) => unlessStarted(startWith(FIRST_START)(input, label)),
    beginAsleep: (input, label) => {
      const { how, ...asleep } = sleeping(input);
      return unlessStarted(startWith(how)({ ...input, ...asleep }, label));
    },
    start: startWith({ workflowIdConflictPolicy: 'USE_EXISTING' }),
    restart: startWith({ workflowIdConflictPolicy: 'TERMINATE_EXISTING' }),

    signal: async (orderId, request, asleep) => sendSignal(orderId, signed(orderId, request), asleep),
    offer: async (orderId, asleep) =>
      sendSignal(orderId, signedNotice(orderId, { trigger: 'offer' }), asleep),
    refresh: async (orderId, asleep) =>
      sendSignal(orderId, signedNotice(orderId, { trigger: 'refresh' }), asleep),
    resend: async (orderId, seq) =>
      sendSignal(orderId, signedNotice(orderId, { trigger: 'redeliver', seq }), undefined),

    redeliver: async (input, label, seq) => {
      const notice = signedNotice(input.orderId, { trigger: 'redeliver', seq });
      // A second workflow of a live order would no longer show what its first one has seen: the reconciler starts that.
      const reuse = isFinal(input.state.status) ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE';
      await signalWithStart(notice, { input, label }, reuse);
    },

    startBulk: async (run, isStuck) => {
      const workflowIdConflictPolicy = isStuck ? 'TERMINATE_EXISTING' : 'USE_EXISTING';
      await withDeadline(() =>
        client().workflow.start(BULK_WORKFLOW, { ...bulkStartOptions(run), workflowIdConflictPolicy }),
      );
    },

    runningOrders: () => withDeadline(() => allRunning(client()), LIST_DEADLINE_MS),
    runningPage: (size, after) =>
      withDeadline(() => runningPage(client(), { size, after }), LIST_DEADLINE_MS),
    runningAmong: (orderIds) => withDeadline(() => runningAmong(client(), orderIds), LIST_DEADLINE_MS),

    runningOrder: async (orderId) => {
      const workflow = await lastWorkflow(orderId);
      return workflow?.status.name === 'RUNNING' ? observedState(workflow) : undefined;
    },

    lastSeen: async (orderId) => {
      const workflow = await lastWorkflow(orderId);
      return workflow && observedState(workflow);
    },

    hasFailedTask: async (orderId) => (await withDeadline(() => lastTaskFailure(client(), orderId))) !== null,

    describe: (orderId) =>
      withDeadline(() => describeOrder(client(), TASK_QUEUE, orderId), DESCRIBE_DEADLINE_MS),

    releases: createReleases(client, TASK_QUEUE, (call) => withDeadline(call, LIST_DEADLINE_MS)),

    isReachable: () => {
      if (!probe || performance.now() - probe.at > PROBE_VALID_MS) {
        // No order has the id 0. Only the namespace's own store can answer that such a workflow does not exist.
        const call = withDeadline(() => client().workflow.getHandle(orderWorkflowId(0)).describe());
        const result = call.then(
          () => true,
          (error) => error instanceof WorkflowNotFoundError,
        );
        probe = { at: performance.now(), result };
      }
      return probe.result;
    },

    hasWorker: async () => countActiveWorkers(await withDeadline(() => queueOf(client(), TASK_QUEUE))) > 0,

    prepareNamespace: (timeoutMs, signal) =>
      prepareNamespace(client(), { access, namespace, timeoutMs, log, signal }),
    checkNamespace: (timeoutMs, signal) =>
      checkNamespace(client(), { access, namespace, timeoutMs, log, signal }),

    close,
  };

  async function lastWorkflow(orderId: number) {
    try {
      return await withDeadline(() => client().workflow.getHandle(orderWorkflowId(orderId)).describe());
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    }
  }
}
