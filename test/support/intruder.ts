import { randomUUID } from 'node:crypto';
import { Client, Connection, WorkflowIdConflictPolicy } from '@temporalio/client';
import type { SignalCommand } from '../../src/domain/order-commands.ts';
import type { OrderState } from '../../src/domain/order-state.ts';
import { signCommand } from '../../src/temporal/command-signature.ts';
import { TASK_QUEUE } from '../../src/temporal/start-options.ts';
import { type Envelope, ORDER_WORKFLOW, orderWorkflowId } from '../../workflows/messages.ts';
import type { TestCorridor } from './corridor.ts';
import { testEnvironment } from './environment.ts';

type Sent = Omit<Envelope, 'trace'>;

/** A command as the API sends it, for the first version of the order unless another is given. */
export function signedEnvelope(
  { shared }: Pick<TestCorridor, 'shared'>,
  orderId: number,
  actor: string,
  command: SignalCommand,
  { secret = shared.secrets.commandSecret, at = Date.now(), forVersion = 1 } = {},
): Sent {
  const requestId = randomUUID();
  const signature = signCommand(secret, { orderId, requestId, actor, command, forVersion }, at);
  return { requestId, actor, command, signature, forVersion };
}

/** An attacker with access to Temporal but without secrets. It can read every history and send any signal. */
export interface Intruder {
  client: Client;
  signal: (orderId: number, name: string, ...message: unknown[]) => Promise<void>;
  /** Ends the order's workflow and starts another one in this state. */
  replaceWorkflow: (orderId: number, state: OrderState) => Promise<void>;
  /** The signals of this name that the order has received, oldest first. */
  readSignals: (orderId: number, name: string) => Promise<Sent[]>;
  /** The last events of the order's workflow, oldest first, one line each. */
  readHistory: (orderId: number) => Promise<string[]>;
  leave: () => Promise<void>;
}

const HISTORY_SHOWN = 40;

export async function createIntruder({ config }: Pick<TestCorridor, 'config'>): Promise<Intruder> {
  const connection = await Connection.connect({ address: testEnvironment().temporalAddress });
  const client = new Client({ connection, namespace: config.temporalNamespace });
  const workflowOf = (orderId: number) => client.workflow.getHandle(orderWorkflowId(orderId));
  return {
    client,
    signal: (orderId, name, ...message) => workflowOf(orderId).signal(name, ...message),
    replaceWorkflow: async (orderId, state) => {
      const durations = { claim: 1, fiat: 1, confirm: 1, settle: 1, verify: 1 };
      await client.workflow.start(ORDER_WORKFLOW, {
        workflowId: orderWorkflowId(orderId),
        workflowIdConflictPolicy: WorkflowIdConflictPolicy.TERMINATE_EXISTING,
        taskQueue: TASK_QUEUE,
        args: [{ orderId, state, durations, webhooks: [], autoClaims: false }],
      });
    },
    readSignals: async (orderId, name) => {
      const { events } = await workflowOf(orderId).fetchHistory();
      return (events ?? []).flatMap(({ workflowExecutionSignaledEventAttributes: signalled }) => {
        const data = signalled?.signalName === name && signalled.input?.payloads?.[0]?.data;
        return data ? [JSON.parse(Buffer.from(data).toString())] : [];
      });
    },
    readHistory: async (orderId) => {
      const { events } = await workflowOf(orderId).fetchHistory();
      return (events ?? []).slice(-HISTORY_SHOWN).map((event) => JSON.stringify(event));
    },
    leave: () => connection.close(),
  };
}
