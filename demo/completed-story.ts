import { act } from './act.ts';
import { expectStatus } from './http.ts';
import { introduceAgent, introduceLp } from './parties.ts';
import { pay } from './payment.ts';
import { showTimeline } from './records.ts';
import { settleOnSandbox } from './settlement.ts';
import type { Stage } from './stage.ts';

/** An order from the payment to `completed`, with two LPs that race for it. */
export async function completedStory(stage: Stage): Promise<void> {
  const { tell, show, workflowUrl } = stage;
  const agent = await introduceAgent(stage);

  tell('Two liquidity providers register, say where they take USDT, and deposit collateral.');
  const lps = await Promise.all([
    introduceLp(stage, { name: 'Savanna Liquidity', rateUsd: 129.5 }),
    introduceLp(stage, { name: 'Rift Valley FX', rateUsd: 129.1 }),
  ]);

  tell('The agent pays 6475 KES to a mobile-money number, paid for in USDT.');
  const order = await pay(stage, agent);

  tell('Both LPs claim it at the same moment.');
  const claims = await Promise.all(
    lps.map(async (lp) => ({ lp, answer: await lp.call('POST', `/api/orders/${order.id}/claim`, {}) })),
  );
  for (const { lp, answer } of claims) show(`${lp.name}: ${answer.status} ${JSON.stringify(answer.body)}`);
  const won = claims.find(({ answer }) => answer.status === 200);
  if (!won) throw new Error('no LP won the claim');
  await order.webhook('claimed');

  tell(`${won.lp.name} sends the fiat and says so.`);
  await act(stage, won.lp.call, `POST /api/orders/${order.id}/fiat-sent`, {});
  await order.webhook('fiat_sent');

  tell('The agent confirms that the recipient has the money.');
  await act(stage, agent.call, `POST /api/v1/confirm/${order.id}`, {});
  await order.webhook('confirmed');

  tell('The payer sends the USDT (on the simulated chain), and the agent settles with the hash.');
  await settleOnSandbox(stage, agent, order, won.lp);

  const { status, completed_at } = await expectStatus(200, agent.call('GET', `/api/v1/status/${order.id}`));
  tell(`The agent asks once more: order ${order.id} is ${status} since ${completed_at}.`);

  tell(`Everything that became of order ${order.id}:`);
  await showTimeline(stage, agent, order.id);
  show(`in the Temporal UI: ${workflowUrl(order.id)}`);
}
