import { randomUUID } from 'node:crypto';
import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { type Envelope, ORDER_WORKFLOW, orderWorkflowId } from '../../workflows/messages.ts';
import type { Notice, SignalCommand } from '../domain/order-commands.ts';
import { carriedTrace, inTrace, ORDER_ID } from '../process/tracing/tracing.ts';
import { signCommand } from './command-signature.ts';
import { type OrderStart, startOptions, type TemporalTimeouts } from './start-options.ts';

/** The client, and how long one call of it may take. */
interface Calls {
  client: () => Client;
  withDeadline: <T>(call: () => Promise<T>) => Promise<T>;
  timeouts: TemporalTimeouts;
}

/** Signs commands and notices, and sends them as signals. Without `commandSecret`, signing throws. */
export function createSignals({ client, withDeadline, timeouts }: Calls, commandSecret: string | undefined) {
  return { signed, signedNotice, sendSignal, signalWithStart };

  function signed<Carried extends SignalCommand | Notice>(
    orderId: number,
    request: Omit<Envelope<Carried>, 'signature' | 'trace'>,
  ): Envelope<Carried> {
    if (commandSecret === undefined)
      throw new Error(`Order ${orderId}: this process has no secret to sign the command with`);
    return { ...request, signature: signCommand(commandSecret, { orderId, ...request }) };
  }

  function signedNotice(orderId: number, command: Notice): Envelope<Notice> {
    return signed(orderId, { requestId: randomUUID(), actor: 'service', command });
  }

  /** Sends a signal with the trace of the current request. Returns false when no workflow runs to take it. */
  async function sendSignal(
    orderId: number,
    message: Envelope<SignalCommand | Notice>,
    asleep: OrderStart | undefined,
  ): Promise<boolean> {
    try {
      if (asleep) await signalWithStart(message, asleep, 'REJECT_DUPLICATE');
      else await signalRunning(orderId, message);
      return true;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError || error instanceof WorkflowExecutionAlreadyStartedError)
        return false;
      throw error;
    }
  }

  function signalRunning(orderId: number, message: Envelope<SignalCommand | Notice>): Promise<void> {
    const name = message.command.trigger;
    return traced('SignalWorkflow', name, orderId, () => {
      const workflow = client().workflow.getHandle(orderWorkflowId(orderId));
      return withDeadline(() => workflow.signal(name, { ...message, ...carriedTrace() }));
    });
  }

  /** Unlike a plain signal, this wakes a workflow that sleeps. `reuse`: whether an order whose workflow has ended gets another. */
  async function signalWithStart(
    message: Envelope<SignalCommand | Notice>,
    { input, label }: OrderStart,
    reuse: 'ALLOW_DUPLICATE' | 'REJECT_DUPLICATE',
  ): Promise<void> {
    const name = message.command.trigger;
    await traced('SignalWithStartWorkflow', name, input.orderId, () =>
      withDeadline(() =>
        client().workflow.signalWithStart(ORDER_WORKFLOW, {
          ...startOptions(input, label, timeouts),
          workflowIdReusePolicy: reuse,
          signal: name,
          signalArgs: [{ ...message, ...carriedTrace() }],
        }),
      ),
    );
  }
}

/** A span for a call to Temporal, named as in Temporal's own SDKs. */
export const traced = <T>(what: string, name: string, orderId: number, work: () => Promise<T>): Promise<T> =>
  inTrace(() => ({ name: `${what}:${name}`, kind: 'client', attributes: { [ORDER_ID]: orderId } }), work);
