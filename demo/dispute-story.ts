import { act, ask } from './act.ts';
import { caller } from './http.ts';
import { introduceAgent, introduceLp } from './parties.ts';
import { pay } from './payment.ts';
import { collateralOf, collateralTable, postingTable, showTimeline } from './records.ts';
import type { Stage } from './stage.ts';

/** What the LP loses in the end; the fiat was never sent. */
const RESOLUTION = {
  outcome: 'cancelled',
  slash_usd: 12.5,
  reason: 'The operator of the mobile money knows of no such payment',
};

/** Agent and LP say opposite things about the fiat, and an admin decides. */
export async function disputeStory(stage: Stage): Promise<void> {
  const { baseUrl, adminKey, tell, show, workflowUrl } = stage;
  const admin = caller(baseUrl, adminKey);
  const agent = await introduceAgent(stage);

  tell('A liquidity provider registers and deposits collateral.');
  const lp = await introduceLp(stage, { name: 'Savanna Liquidity', rateUsd: 129.5 });
  const before = await collateralOf(lp);

  tell('The agent pays 6475 KES to a mobile-money number; the LP claims the order.');
  const order = await pay(stage, agent);
  await act(stage, lp.call, `POST /api/orders/${order.id}/claim`, {});
  await order.webhook('claimed');

  tell('The LP says that it has sent the fiat.');
  await act(stage, lp.call, `POST /api/orders/${order.id}/fiat-sent`, {});
  await order.webhook('fiat_sent');

  tell('The recipient has nothing. The agent disputes the order, and says why.');
  const complaint = { reason: 'Nothing has arrived at the recipient' };
  await act(stage, agent.call, `POST /api/v1/dispute/${order.id}`, complaint);
  await order.webhook('disputed');

  tell('The LP disputes it too. It is disputed already: the same answer, and nothing changes.');
  const defence = { reason: 'The fiat was sent' };
  await act(stage, lp.call, `POST /api/orders/${order.id}/dispute`, defence);

  tell('No clock runs any more, and neither of them can move the order.');
  await act(stage, agent.call, `POST /api/v1/confirm/${order.id}`, {}, 409);
  const disputed = await collateralOf(lp);

  tell('The admin looks what it would post to cancel the order and take 12.50 USD of the LP’s slice.');
  const resolve = `POST /api/admin/orders/${order.id}/resolve`;
  const dryRun = await ask(stage, admin, `${resolve}?dry_run=true`, RESOLUTION);
  show(postingTable(dryRun.postings));
  show('only looked: the order is still disputed, the slice still locked');
  const afterDryRun = await collateralOf(lp);

  tell('The admin does it.');
  const resolved = await ask(stage, admin, resolve, RESOLUTION);
  show(postingTable(resolved.postings));
  await order.webhook('cancelled');

  tell(`What it did to the collateral of ${lp.name}:`);
  show(
    collateralTable({
      'before the claim': before,
      'while disputed': disputed,
      'after the dry run': afterDryRun,
      'after the resolve': await collateralOf(lp),
    }),
  );

  tell(`Everything that became of order ${order.id}:`);
  await showTimeline(stage, agent, order.id);
  show(`in the Temporal UI: ${workflowUrl(order.id)}`);
}
