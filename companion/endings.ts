import { act } from '../demo/act.ts';
import type { DemoAgent, DemoLp } from '../demo/parties.ts';
import { settleWithPayment } from '../demo/settlement.ts';
import type { Scene } from '../demo/stage.ts';
import type { TriggeredOrder } from './triggered-order.ts';

/** Who brings an order to its end, and the order. */
export interface Cast {
  scene: Scene;
  agent: DemoAgent;
  lp: DemoLp;
  order: TriggeredOrder;
}

interface TriggeredEnding {
  about: string;
  bring: (cast: Cast) => Promise<void>;
}

/** Every end that an order can be driven to, by the name that it is asked for. */
export const ENDINGS = {
  completed: {
    about: 'an LP claims it and sends the fiat; the agent confirms and settles with a payment',
    bring: async (cast) => {
      const { scene, agent, lp, order } = cast;
      await sendFiat(cast);
      scene.tell('The agent confirms that the fiat has arrived.');
      await act(scene, agent.call, `POST /api/v1/confirm/${order.id}`, {});
      await order.becomes('confirmed');
      scene.tell('The payer pays on the simulated chain, and the agent settles with the hash.');
      await settleWithPayment(scene, agent, order, lp);
      await order.becomes('completed');
    },
  },
  cancelled: {
    about: 'the agent cancels it before anybody has claimed it',
    bring: async ({ scene, agent, order }) => {
      scene.tell('The agent cancels the order.');
      const reason = 'The payer has changed their mind';
      await act(scene, agent.call, `POST /api/v1/cancel/${order.id}`, { reason });
      await order.becomes('cancelled');
    },
  },
  expired: {
    about: 'nobody claims it, its deadline is fired, and it is cancelled',
    bring: async ({ scene, agent, order }) => {
      scene.tell('Nobody claims the order. Its deadline is fired.');
      await act(scene, agent.call, `POST /sandbox/orders/${order.id}/advance`, { status: 'matched' });
      await order.becomes('cancelled');
    },
  },
  disputed: {
    about: 'the LP says that the fiat is sent, and the agent that nothing has arrived',
    bring: async (cast) => {
      const { scene, agent, order } = cast;
      await sendFiat(cast);
      scene.tell('Nothing arrives. The agent disputes the order.');
      const reason = 'Nothing has arrived at the recipient';
      await act(scene, agent.call, `POST /api/v1/dispute/${order.id}`, { reason });
      await order.becomes('disputed');
    },
  },
  'no-show': {
    about: 'an LP claims it and does nothing; its deadline is fired, and the order is open again',
    bring: async (cast) => {
      const { scene, agent, lp, order } = cast;
      await claim(cast);
      scene.tell(`${lp.name} is not heard of again. Its deadline is fired.`);
      await act(scene, agent.call, `POST /sandbox/orders/${order.id}/advance`, { status: 'claimed' });
      await order.becomes('matched');
    },
  },
} satisfies Record<string, TriggeredEnding>;
export type EndingName = keyof typeof ENDINGS;

async function claim({ scene, lp, order }: Cast): Promise<void> {
  scene.tell(`${lp.name} claims the order.`);
  const { status, body } = await lp.call('POST', `/api/orders/${order.id}/claim`, {});
  if (status === 409)
    throw new Error(`another LP was faster to claim order ${order.id}: is auto-claim on for one of yours?`);
  if (status !== 200) throw new Error(`the claim was answered ${status}: ${JSON.stringify(body)}`);
  await order.becomes('claimed');
}

async function sendFiat(cast: Cast): Promise<void> {
  const { scene, lp, order } = cast;
  await claim(cast);
  scene.tell(`${lp.name} sends the fiat and says so.`);
  await act(scene, lp.call, `POST /api/orders/${order.id}/fiat-sent`, {});
  await order.becomes('fiat_sent');
}
