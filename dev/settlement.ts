import type { DemoAgent, DemoLp } from './actors.ts';
import type { Context } from './context.ts';
import { createCaller, expectStatus } from './http-client.ts';
import type { DemoOrder, Payment } from './payment.ts';
import { callAndPrint } from './shown-call.ts';

/** The payer pays an LP on the simulated chain, and the agent settles with the hash. */
export async function settleWithPayment(
  context: Context,
  agent: DemoAgent,
  { id, owed }: Payment,
  lp: DemoLp,
): Promise<void> {
  const { tx_hash } = await expectStatus(
    201,
    createCaller(context.baseUrl)('POST', '/sandbox/transactions', { ...owed, to: lp.address }),
  );
  await callAndPrint(context, agent.call, `POST /api/v1/settle/${id}`, { tx_hash });
}

/** Does the same, then waits for the webhooks until the order is completed. */
export async function settleOnSandbox(
  context: Context,
  agent: DemoAgent,
  order: DemoOrder,
  lp: DemoLp,
): Promise<void> {
  await settleWithPayment(context, agent, order, lp);
  await order.webhook('crypto_verify_pending');
  await order.webhook('completed');
}
