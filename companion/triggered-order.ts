import { setTimeout as delay } from 'node:timers/promises';
import type { DemoAgent } from '../dev/actors.ts';
import type { Context } from '../dev/context.ts';
import { expectStatus } from '../dev/http-client.ts';
import { makePayment, type Payment } from '../dev/payment.ts';
import type { TransitionView } from '../src/api/resources/agent-orders/schemas.ts';
import type { DeliveryView } from '../src/api/resources/webhook-deliveries/schemas.ts';
import { table } from '../src/cli/output.ts';

const WAIT_MS = 30_000;
const POLL_EVERY_MS = 100;

/** A valid recipient in every currency of a sandbox, which simulated LPs ignore. */
const TEST_RECIPIENT = '+99900000000';

/** A real order that `npm run trigger` drives to an ending. */
export interface TriggeredOrder extends Payment {
  /** Prints each transition until the order reaches this status. */
  becomes: (status: string) => Promise<void>;
}

export async function openOrder(context: Context, agent: DemoAgent, fields: object): Promise<TriggeredOrder> {
  const recipient = { recipient: TEST_RECIPIENT, recipient_name: 'Triggered' };
  const payment = await makePayment(context, agent, { ...recipient, ...fields });
  // `makePayment` has printed the creation.
  let shown = 1;
  return {
    ...payment,
    becomes: async (status) => {
      const path = `/api/v1/orders/${payment.id}/timeline`;
      for (const giveUpAt = Date.now() + WAIT_MS; ; await delay(POLL_EVERY_MS)) {
        const timeline = await expectStatus(200, agent.call('GET', path));
        const unseen: TransitionView[] = timeline.transitions.slice(shown);
        for (const transition of unseen) {
          shown += 1;
          context.print(describeTransition(transition));
          if (transition.status === status && transition.from_status !== status) return;
        }
        if (Date.now() > giveUpAt)
          throw new Error(
            `order ${payment.id} is ${timeline.status}, not ${status}, after ${WAIT_MS / 1_000} s`,
          );
      }
    },
  };
}

function describeTransition({ at, status, actor, lp_id, cause, reason }: TransitionView): string {
  const by = lp_id === null ? actor : `LP ${lp_id}`;
  return `→ ${status} at ${at.slice(11, 23)} by ${by} (${cause}${reason ? `: ${reason}` : ''})`;
}

/** Prints the receiver's responses once Corridor has delivered or exhausted every webhook of the order. */
export async function showDeliveries({ print }: Context, agent: DemoAgent, orderId: number): Promise<void> {
  const path = `/api/v1/webhook-deliveries?order_id=${orderId}`;
  for (const giveUpAt = Date.now() + WAIT_MS; ; await delay(POLL_EVERY_MS)) {
    const { deliveries } = await expectStatus(200, agent.call('GET', path));
    const isPending = deliveries.some(({ state }: DeliveryView) => state === 'pending');
    if (isPending && Date.now() < giveUpAt) continue;
    return print(
      table<DeliveryView>(deliveries, {
        webhook: ({ status }) => status,
        state: ({ state }) => state,
        attempts: ({ attempts }) => attempts.length,
        answer: ({ attempts }) => attempts.at(-1)?.error ?? attempts.at(-1)?.status_code ?? null,
      }),
    );
  }
}
