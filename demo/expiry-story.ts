import { act, ask } from './act.ts';
import { caller, expectStatus } from './http.ts';
import { introduceAgent, introduceLp } from './parties.ts';
import { pay } from './payment.ts';
import { showTimeline } from './records.ts';
import type { Stage } from './stage.ts';

/** How long orders must be open for this story to be short. */
export const EXPIRY_SETTINGS = { CLAIM_TIMEOUT: '10s' };

/** Two orders that nobody claims: one runs out of time, one is given more and is cancelled by its agent. */
export async function expiryStory(stage: Stage): Promise<void> {
  const { baseUrl, adminKey, tell, show } = stage;
  const admin = caller(baseUrl, adminKey);
  const agent = await introduceAgent(stage);

  tell('A liquidity provider registers, so that there is a rate to quote. It will not claim anything.');
  const lp = await introduceLp(stage, { name: 'Savanna Liquidity', rateUsd: 129.5 });

  tell(`The agent pays 6475 KES; an LP has ${EXPIRY_SETTINGS.CLAIM_TIMEOUT} to claim the order.`);
  const kept = await pay(stage, agent);

  tell('The admin gives this one an hour more.');
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const reason = 'The LPs’ bank opens late today';
  const extended = await ask(stage, admin, `POST /api/admin/orders/${kept.id}/extend`, { until, reason });
  show(`order ${kept.id} is ${extended.status} until ${extended.timeout_at}`);

  tell('The agent pays 6475 KES once more, and nobody gives that one more time.');
  const left = await pay(stage, agent);

  tell(`Nobody claims either. The ${EXPIRY_SETTINGS.CLAIM_TIMEOUT} pass …`);
  const { data } = await left.webhook('cancelled');
  show(`order ${left.id} is cancelled since ${data.cancelled_at}`);
  await act(stage, lp.call, `POST /api/orders/${left.id}/claim`, {}, 409);

  tell(`Order ${kept.id}, which is older, lives on.`);
  const { status, next } = await expectStatus(200, agent.call('GET', `/api/v1/orders/${kept.id}/timeline`));
  show(`${status}, waiting for ${next.waiting_for} until ${next.due_at}`);

  tell('The payer has found another way. The agent cancels it.');
  const change = { reason: 'The payer has changed their mind' };
  await act(stage, agent.call, `POST /api/v1/cancel/${kept.id}`, change);
  await kept.webhook('cancelled');

  for (const order of [left, kept]) {
    tell(`Everything that became of order ${order.id}:`);
    await showTimeline(stage, agent, order.id);
  }
}
