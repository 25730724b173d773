import { createAgent, createLp } from '../dev/actors.ts';
import type { StoryContext } from '../dev/context.ts';
import { createCaller } from '../dev/http-client.ts';
import { pay } from '../dev/payment.ts';
import { callAndPrint, callAndPrintRequest } from '../dev/shown-call.ts';
import { collateralOf, collateralTable, postingTable, showTimeline } from './tables.ts';

/** The admin's decision: the LP never sent the fiat, and loses a quarter of its locked collateral. */
const RESOLUTION = {
  outcome: 'cancelled',
  slash_usd: 12.5,
  reason: 'The bank knows of no such transfer',
};

/** Equity Bank has this code in `GET /api/v1/corridors`. */
const EQUITY_ACCOUNT = {
  ...{ method: 'bank_transfer', institution: '68' },
  ...{ recipient: undefined, recipient_details: { account_number: '0770123456789' } },
};

/** Agent and LP disagree on whether the fiat was sent, and an admin decides. */
export async function disputeStory(context: StoryContext): Promise<void> {
  const { baseUrl, adminKey, narrate, print, workflowUrl } = context;
  const admin = createCaller(baseUrl, adminKey);
  const agent = await createAgent(context);

  narrate('A liquidity provider registers, deposits collateral, and publishes terms for bank transfers.');
  const lp = await createLp(context, {
    ...{ name: 'Savanna Liquidity', rateUsd: 129.5 },
    floats: { bank_transfer: 500_000 },
  });
  const before = await collateralOf(lp);

  narrate(
    'The agent creates a payment of 6475 KES to a bank account at Equity Bank. The LP claims the order.',
  );
  const order = await pay(context, agent, EQUITY_ACCOUNT);
  await callAndPrint(context, lp.call, `POST /api/orders/${order.id}/claim`, {});
  await order.webhook('claimed');

  narrate('The LP says that it has sent the fiat.');
  await callAndPrint(context, lp.call, `POST /api/orders/${order.id}/fiat-sent`, {});
  await order.webhook('fiat_sent');

  narrate('The recipient has received nothing. The agent disputes the order and gives a reason.');
  const complaint = { reason: 'Nothing has arrived at the recipient' };
  await callAndPrint(context, agent.call, `POST /api/v1/dispute/${order.id}`, complaint);
  await order.webhook('disputed');

  narrate('The LP disputes the order too. It is already disputed: same answer, no change.');
  const defence = { reason: 'The fiat was sent' };
  await callAndPrint(context, lp.call, `POST /api/orders/${order.id}/dispute`, defence);

  narrate('A disputed order has no deadline. Neither agent nor LP can move it.');
  await callAndPrint(context, agent.call, `POST /api/v1/confirm/${order.id}`, {}, 409);
  const disputed = await collateralOf(lp);

  narrate('The admin makes a dry run: cancel the order and take 12.50 USD of the locked collateral.');
  const resolve = `POST /api/admin/orders/${order.id}/resolve`;
  const dryRun = await callAndPrintRequest(context, admin, `${resolve}?dry_run=true`, RESOLUTION);
  print(postingTable(dryRun.postings));
  print('nothing has changed: the order is still disputed, its collateral still locked');
  const afterDryRun = await collateralOf(lp);

  narrate('The admin resolves the dispute.');
  const resolved = await callAndPrintRequest(context, admin, resolve, RESOLUTION);
  print(postingTable(resolved.postings));
  await order.webhook('cancelled');

  narrate(`The collateral of ${lp.name}:`);
  print(
    collateralTable({
      'before the claim': before,
      'while disputed': disputed,
      'after the dry run': afterDryRun,
      'after the resolve': await collateralOf(lp),
    }),
  );

  narrate(`The timeline of order ${order.id}:`);
  await showTimeline(context, agent, order.id);
  print(`in the Temporal UI: ${workflowUrl(order.id)}`);
}
