import type { DemoAgent, DemoLp } from '../dev/actors.ts';
import type { Context } from '../dev/context.ts';
import { repeatUnmoved } from '../dev/repeat-unmoved.ts';
import { settleWithPayment } from '../dev/settlement.ts';
import { callAndPrint } from '../dev/shown-call.ts';
import type { TriggeredOrder } from './triggered-order.ts';

/** The parties that take part in an ending, and the order. */
export interface EndingInput {
  context: Context;
  agent: DemoAgent;
  lp: DemoLp;
  order: TriggeredOrder;
}

interface TriggeredEnding {
  about: string;
  run: (input: EndingInput) => Promise<void>;
}

/** The endings of `npm run trigger`, by name. */
export const ENDINGS = {
  completed: {
    about: 'an LP claims it and sends the fiat; the agent confirms and settles with a payment',
    run: async (input) => {
      const { context, agent, lp, order } = input;
      await sendFiat(input);
      context.narrate('The agent confirms that the fiat has arrived.');
      await callAndPrint(context, agent.call, `POST /api/v1/confirm/${order.id}`, {});
      await order.becomes('confirmed');
      context.narrate('The payer pays on the simulated chain. The agent settles with the transaction hash.');
      await settleWithPayment(context, agent, order, lp);
      await order.becomes('completed');
    },
  },
  cancelled: {
    about: 'the agent cancels it before any LP has claimed it',
    run: async ({ context, agent, order }) => {
      context.narrate('The agent cancels the order.');
      const reason = 'The payer has changed their mind';
      await callAndPrint(context, agent.call, `POST /api/v1/cancel/${order.id}`, { reason });
      await order.becomes('cancelled');
    },
  },
  expired: {
    about: 'no LP claims it; its deadline expires now, and the service cancels it',
    run: async ({ context, agent, order }) => {
      context.narrate('No LP claims the order. The sandbox expires its deadline now.');
      await callAndPrint(context, agent.call, `POST /sandbox/orders/${order.id}/advance`, {
        status: 'matched',
      });
      await order.becomes('cancelled');
    },
  },
  disputed: {
    about: 'the LP says that it has sent the fiat, but nothing arrives; the agent disputes the order',
    run: async (input) => {
      const { context, agent, order } = input;
      await sendFiat(input);
      context.narrate('The fiat does not arrive. The agent disputes the order.');
      const reason = 'Nothing has arrived at the recipient';
      await callAndPrint(context, agent.call, `POST /api/v1/dispute/${order.id}`, { reason });
      await order.becomes('disputed');
    },
  },
  'no-show': {
    about: 'an LP claims it and does nothing; its deadline expires now, and other LPs can claim the order',
    run: async (input) => {
      const { context, agent, lp, order } = input;
      await claim(input);
      context.narrate(`${lp.name} does not send the fiat. The sandbox expires its deadline now.`);
      await callAndPrint(context, agent.call, `POST /sandbox/orders/${order.id}/advance`, {
        status: 'claimed',
      });
      await order.becomes('matched');
    },
  },
} satisfies Record<string, TriggeredEnding>;
export type EndingName = keyof typeof ENDINGS;

async function claim({ context, lp, order }: EndingInput): Promise<void> {
  context.narrate(`${lp.name} claims the order.`);
  const { status, body } = await repeatUnmoved(() => lp.call('POST', `/api/orders/${order.id}/claim`, {}));
  if (status === 409)
    throw new Error(
      `another LP claimed order ${order.id} first. Turn off auto-claim for your other LPs and try again`,
    );
  if (status !== 200) throw new Error(`the API answered the claim with ${status}: ${JSON.stringify(body)}`);
  await order.becomes('claimed');
}

async function sendFiat(input: EndingInput): Promise<void> {
  const { context, lp, order } = input;
  await claim(input);
  context.narrate(`${lp.name} sends the fiat and reports it.`);
  await callAndPrint(context, lp.call, `POST /api/orders/${order.id}/fiat-sent`, {});
  await order.becomes('fiat_sent');
}
