import { createAgent, createLp } from '../dev/actors.ts';
import type { StoryContext } from '../dev/context.ts';
import { pay } from '../dev/payment.ts';
import { publishTerms } from '../dev/registration.ts';
import { settleOnSandbox } from '../dev/settlement.ts';
import { callAndPrint } from '../dev/shown-call.ts';
import { showStandings, showTerms, showTimeline } from './tables.ts';

/** A short deadline keeps the story short. */
export const NO_SHOW_SETTINGS = { FIAT_TIMEOUT: '10s' };

/** Three LPs claim an order in turn: one misses its deadline, one releases the order, one pays it out. */
export async function noShowStory(context: StoryContext): Promise<void> {
  const { narrate, print } = context;
  const agent = await createAgent(context);

  narrate('Three liquidity providers (LPs) register and deposit collateral.');
  const lps = [
    await createLp(context, { name: 'Savanna Liquidity', rateUsd: 129.5 }),
    await createLp(context, { name: 'Rift Valley FX', rateUsd: 129.1, floats: { mobile_money: 50_000 } }),
    await createLp(context, { name: 'Coast Exchange', rateUsd: 128.9 }),
  ] as const;
  const [silent, honest, reliable] = lps;

  narrate('The agent creates a payment of 6475 KES to a mobile-money number.');
  const order = await pay(context, agent);
  const claim = `POST /api/orders/${order.id}/claim`;

  narrate(`${silent.name} claims the order. Corridor locks collateral for the order.`);
  await callAndPrint(context, silent.call, claim, {});
  await order.webhook('claimed');

  narrate(`${silent.name} does nothing more. Its ${NO_SHOW_SETTINGS.FIAT_TIMEOUT} to send the fiat pass …`);
  await order.webhook('matched');
  print('Corridor releases the collateral, gives the LP a strike and a cool-down, and reoffers the order');
  await showStandings(context, [...lps]);

  narrate(`${silent.name} comes back and claims the order again. Corridor refuses.`);
  await callAndPrint(context, silent.call, claim, {}, 409);

  narrate(`${honest.name} claims the order, cannot pay today, and releases it immediately: no strike.`);
  await callAndPrint(context, honest.call, claim, {});
  await order.webhook('claimed');
  const excuse = { reason: 'Our mobile-money float is empty' };
  await callAndPrint(context, honest.call, `POST /api/orders/${order.id}/release`, excuse);
  await order.webhook('matched');

  narrate(`${honest.name} corrects its float. Corridor offers it no more orders that it cannot pay.`);
  await publishTerms(honest, { currency: 'KES', method: 'mobile_money', float: 0, expected_float: 50_000 });
  await showTerms(context, honest);
  await showStandings(context, [...lps]);

  narrate(
    `${reliable.name} claims the order and sends the fiat. A third failed claim would cancel the order.`,
  );
  await callAndPrint(context, reliable.call, claim, {});
  await callAndPrint(context, reliable.call, `POST /api/orders/${order.id}/fiat-sent`, {});
  await order.webhook('claimed');
  await order.webhook('fiat_sent');

  narrate('The agent confirms. The payer sends the USDT on the simulated chain. The agent settles.');
  await callAndPrint(context, agent.call, `POST /api/v1/confirm/${order.id}`, {});
  await order.webhook('confirmed');
  await settleOnSandbox(context, agent, order, reliable);

  narrate(`The three LPs now. ${reliable.name} has the payer’s USDT and paid the fee from its collateral:`);
  await showStandings(context, [...lps]);

  narrate(`The timeline of order ${order.id}:`);
  await showTimeline(context, agent, order.id);
}
