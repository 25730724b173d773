import { createAgent, createLp, type DemoLp } from '../dev/actors.ts';
import type { StoryContext } from '../dev/context.ts';
import { expectStatus } from '../dev/http-client.ts';
import { pay } from '../dev/payment.ts';
import { publishTerms } from '../dev/registration.ts';
import { settleOnSandbox } from '../dev/settlement.ts';
import { callAndPrint } from '../dev/shown-call.ts';
import { showTerms, showTimeline } from './tables.ts';

/** Two LPs race for an order, and it is `completed`. */
export async function completedStory(context: StoryContext): Promise<void> {
  const { narrate, print, workflowUrl } = context;
  const agent = await createAgent(context);

  narrate(
    'Two liquidity providers (LPs) register a USDT address each, deposit collateral, and publish their terms: where they can send fiat, at which rate, and how much.',
  );
  const lps = [
    await createLp(context, {
      ...{ name: 'Savanna Liquidity', rateUsd: 129.5 },
      floats: { mobile_money: 200_000, bank_transfer: 1_000_000 },
    }),
    await createLp(context, {
      ...{ name: 'Rift Valley FX', rateUsd: 129.1 },
      floats: { mobile_money: 150_000 },
    }),
  ] as const;

  narrate('The agent creates a payment: 6475 KES to a mobile-money number, which the payer funds in USDT.');
  const order = await pay(context, agent);

  narrate('Each LP sees how the fiat is delivered, and the recipient masked until it has claimed the order.');
  for (const lp of lps) {
    const { orders } = await expectStatus(200, lp.call('GET', `${lp.own}/orders/stream`));
    const offer = orders.find(({ id }: { id: number }) => id === order.id);
    print(`${lp.name}: ${offer.method}, ${offer.institution}, to ${offer.recipient_masked}`);
  }

  narrate('Both LPs claim the order at the same moment.');
  const claims = await Promise.all(
    lps.map(async (lp) => ({ lp, answer: await lp.call('POST', `/api/orders/${order.id}/claim`, {}) })),
  );
  for (const { lp, answer } of claims) print(`${lp.name}: ${answer.status} ${JSON.stringify(answer.body)}`);
  const won = claims.find(({ answer }) => answer.status === 200);
  if (!won) throw new Error('no LP won the claim');
  await order.webhook('claimed');

  narrate(`${won.lp.name} has locked collateral, and Corridor has reserved 6475 KES of its float:`);
  await showTerms(context, won.lp);

  narrate(`${won.lp.name} sends the fiat and reports it.`);
  await callAndPrint(context, won.lp.call, `POST /api/orders/${order.id}/fiat-sent`, {});
  await order.webhook('fiat_sent');

  narrate('The agent confirms that the recipient has the money.');
  await callAndPrint(context, agent.call, `POST /api/v1/confirm/${order.id}`, {});
  await order.webhook('confirmed');

  narrate('The payer sends the USDT on the simulated chain. The agent settles with the transaction hash.');
  await settleOnSandbox(context, agent, order, won.lp);

  narrate(`${won.lp.name} tops up its float and renews its rate before the rate expires.`);
  await topUp(context, won.lp, 6475);

  const { status, completed_at } = await expectStatus(200, agent.call('GET', `/api/v1/status/${order.id}`));
  narrate(`The agent reads the status: order ${order.id} is ${status} since ${completed_at}.`);

  narrate(`The timeline of order ${order.id}:`);
  await showTimeline(context, agent, order.id);
  print(`in the Temporal UI: ${workflowUrl(order.id)}`);
}

/** `expected_float` lets Corridor refuse the change if a claim has changed the float since it was read. */
async function topUp(context: StoryContext, lp: DemoLp, amount: number): Promise<void> {
  const { terms } = await expectStatus(200, lp.call('GET', `${lp.own}/terms`));
  const { currency, method, rate_usd, float } = terms.find(
    (one: { method: string }) => one.method === 'mobile_money',
  );
  const change = { currency, method, rate_usd, float: float + amount, expected_float: float };
  // The path contains the LP's key.
  context.print(`POST /api/lp/{lp_key}/terms ${JSON.stringify(change)}`);
  await publishTerms(lp, change);
  await showTerms(context, lp);
}
