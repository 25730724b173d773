import { act } from './act.ts';
import { caller, expectStatus } from './http.ts';
import type { DemoAgent, DemoLp } from './parties.ts';
import type { DemoOrder, Payment } from './payment.ts';
import type { Scene } from './stage.ts';

/** The payer pays an LP on the simulated chain, and the agent settles with the hash. */
export async function settleWithPayment(
  scene: Scene,
  agent: DemoAgent,
  { id, owed }: Payment,
  lp: DemoLp,
): Promise<void> {
  const { tx_hash } = await expectStatus(
    201,
    caller(scene.baseUrl)('POST', '/sandbox/transactions', { ...owed, to: lp.address }),
  );
  await act(scene, agent.call, `POST /api/v1/settle/${id}`, { tx_hash });
}

/** The same, followed by its webhooks until the order is completed. */
export async function settleOnSandbox(
  scene: Scene,
  agent: DemoAgent,
  order: DemoOrder,
  lp: DemoLp,
): Promise<void> {
  await settleWithPayment(scene, agent, order, lp);
  await order.webhook('crypto_verify_pending');
  await order.webhook('completed');
}
