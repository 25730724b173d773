import { createAgent, createLp } from '../dev/actors.ts';
import type { StoryContext } from '../dev/context.ts';
import { createCaller, expectStatus } from '../dev/http-client.ts';
import { pay } from '../dev/payment.ts';
import { callAndPrint, callAndPrintRequest } from '../dev/shown-call.ts';
import { showTimeline } from './tables.ts';

/** A short deadline keeps the story short. */
export const EXPIRY_SETTINGS = { CLAIM_TIMEOUT: '10s' };

/** No LP claims two orders: one expires; an admin extends the other, and its agent cancels it. */
export async function expiryStory(context: StoryContext): Promise<void> {
  const { baseUrl, adminKey, narrate, print } = context;
  const admin = createCaller(baseUrl, adminKey);
  const agent = await createAgent(context);

  narrate('A liquidity provider (LP) registers, so that Corridor can quote a rate. It claims nothing.');
  const lp = await createLp(context, { name: 'Savanna Liquidity', rateUsd: 129.5 });

  narrate(
    `The agent creates a payment of 6475 KES. LPs have ${EXPIRY_SETTINGS.CLAIM_TIMEOUT} to claim the order.`,
  );
  const kept = await pay(context, agent);

  narrate('The admin extends its deadline by an hour.');
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const reason = 'The LPs’ bank opens late today';
  const extended = await callAndPrintRequest(context, admin, `POST /api/admin/orders/${kept.id}/extend`, {
    until,
    reason,
  });
  print(`order ${kept.id} is ${extended.status} until ${extended.timeout_at}`);

  narrate('The agent creates a second payment of 6475 KES. The admin does not extend this one.');
  const left = await pay(context, agent);

  narrate(`No LP claims either order. The ${EXPIRY_SETTINGS.CLAIM_TIMEOUT} pass …`);
  const { data } = await left.webhook('cancelled');
  print(`order ${left.id} is cancelled since ${data.cancelled_at}`);
  await callAndPrint(context, lp.call, `POST /api/orders/${left.id}/claim`, {}, 409);

  narrate(`Order ${kept.id} is older, but still open.`);
  const { status, next } = await expectStatus(200, agent.call('GET', `/api/v1/orders/${kept.id}/timeline`));
  print(`${status}, waiting for ${next.waiting_for} until ${next.due_at}`);

  narrate('The payer no longer needs the payment. The agent cancels the order.');
  const change = { reason: 'The payer has changed their mind' };
  await callAndPrint(context, agent.call, `POST /api/v1/cancel/${kept.id}`, change);
  await kept.webhook('cancelled');

  for (const order of [left, kept]) {
    narrate(`The timeline of order ${order.id}:`);
    await showTimeline(context, agent, order.id);
  }
}
