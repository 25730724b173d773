import { setTimeout as delay } from 'node:timers/promises';
import { expectStatus } from '../demo/http.ts';
import type { DemoAgent } from '../demo/parties.ts';
import { makePayment, type Payment } from '../demo/payment.ts';
import type { Scene } from '../demo/stage.ts';
import { table } from '../src/admin-cli/output.ts';
import type { TransitionView } from '../src/contract/agent-orders.ts';
import type { DeliveryView } from '../src/contract/webhook-deliveries.ts';

const PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 100;

/** A real order that is brought to an end. */
export interface TriggeredOrder extends Payment {
  /** Waits until the order comes to this status, and shows every transition until then. */
  becomes: (status: string) => Promise<void>;
}

export async function openOrder(scene: Scene, agent: DemoAgent, fields: object): Promise<TriggeredOrder> {
  const payment = await makePayment(scene, agent, { recipient_name: 'Triggered', ...fields });
  // The creation has been told.
  let shown = 1;
  return {
    ...payment,
    becomes: async (status) => {
      const path = `/api/v1/orders/${payment.id}/timeline`;
      for (const giveUpAt = Date.now() + PATIENCE_MS; ; await delay(LOOK_EVERY_MS)) {
        const timeline = await expectStatus(200, agent.call('GET', path));
        const news: TransitionView[] = timeline.transitions.slice(shown);
        for (const transition of news) {
          shown += 1;
          scene.show(inWords(transition));
          if (transition.status === status && transition.from_status !== status) return;
        }
        if (Date.now() > giveUpAt)
          throw new Error(
            `order ${payment.id} is ${timeline.status} and not ${status} after ${PATIENCE_MS / 1_000} s`,
          );
      }
    },
  };
}

function inWords({ at, status, actor, lp_id, cause, reason }: TransitionView): string {
  const by = lp_id === null ? actor : `LP ${lp_id}`;
  return `→ ${status} at ${at.slice(11, 23)} by ${by} (${cause}${reason ? `: ${reason}` : ''})`;
}

/** What the order's receiver has answered, once every webhook has been taken or given up. */
export async function showDeliveries({ show }: Scene, agent: DemoAgent, orderId: number): Promise<void> {
  const path = `/api/v1/webhook-deliveries?order_id=${orderId}`;
  for (const giveUpAt = Date.now() + PATIENCE_MS; ; await delay(LOOK_EVERY_MS)) {
    const { deliveries } = await expectStatus(200, agent.call('GET', path));
    const isPending = deliveries.some(({ state }: DeliveryView) => state === 'pending');
    if (isPending && Date.now() < giveUpAt) continue;
    return show(
      table<DeliveryView>(deliveries, {
        webhook: ({ status }) => status,
        state: ({ state }) => state,
        attempts: ({ attempts }) => attempts.length,
        answer: ({ attempts }) => attempts.at(-1)?.error ?? attempts.at(-1)?.status_code ?? null,
      }),
    );
  }
}
