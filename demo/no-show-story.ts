import { act } from './act.ts';
import { introduceAgent, introduceLp } from './parties.ts';
import { pay } from './payment.ts';
import { showStandings, showTimeline } from './records.ts';
import { settleOnSandbox } from './settlement.ts';
import type { Stage } from './stage.ts';

/** What the LPs' deadline must be for this story to be short. */
export const NO_SHOW_SETTINGS = { FIAT_TIMEOUT: '10s' };

/** Three LPs, one after the other: one that is never heard of again, one that gives the order back, one that pays. */
export async function noShowStory(stage: Stage): Promise<void> {
  const { tell, show } = stage;
  const agent = await introduceAgent(stage);

  tell('Three liquidity providers register and deposit collateral.');
  const lps = [
    await introduceLp(stage, { name: 'Savanna Liquidity', rateUsd: 129.5 }),
    await introduceLp(stage, { name: 'Rift Valley FX', rateUsd: 129.1 }),
    await introduceLp(stage, { name: 'Coast Exchange', rateUsd: 128.9 }),
  ] as const;
  const [silent, honest, reliable] = lps;

  tell('The agent pays 6475 KES to a mobile-money number.');
  const order = await pay(stage, agent);
  const claim = `POST /api/orders/${order.id}/claim`;

  tell(`${silent.name} claims the order, and a slice of its collateral is locked.`);
  await act(stage, silent.call, claim, {});
  await order.webhook('claimed');

  tell(`${silent.name} is not heard of again. Its ${NO_SHOW_SETTINGS.FIAT_TIMEOUT} to send the fiat pass …`);
  await order.webhook('matched');
  show('the slice is released, the LP has a strike and cools down, and the order is offered to others');
  await showStandings(stage, [...lps]);

  tell(`Back again, ${silent.name} wants the order after all.`);
  await act(stage, silent.call, claim, {}, 409);

  tell(`${honest.name} claims it, finds that it cannot pay today, and gives it back at once: no strike.`);
  await act(stage, honest.call, claim, {});
  await order.webhook('claimed');
  const excuse = { reason: 'Our mobile-money float is empty' };
  await act(stage, honest.call, `POST /api/orders/${order.id}/release`, excuse);
  await order.webhook('matched');
  await showStandings(stage, [...lps]);

  tell(`${reliable.name} claims it and sends the fiat. A third LP that lets it down would end the order.`);
  await act(stage, reliable.call, claim, {});
  await act(stage, reliable.call, `POST /api/orders/${order.id}/fiat-sent`, {});
  await order.webhook('claimed');
  await order.webhook('fiat_sent');

  tell('The agent confirms, the payer sends the USDT (on the simulated chain), and the agent settles.');
  await act(stage, agent.call, `POST /api/v1/confirm/${order.id}`, {});
  await order.webhook('confirmed');
  await settleOnSandbox(stage, agent, order, reliable);

  tell('How the three stand now; the one that paid owes the fee, and has the payer’s USDT:');
  await showStandings(stage, [...lps]);

  tell(`Everything that became of order ${order.id}:`);
  await showTimeline(stage, agent, order.id);
}
