import { act } from './act.ts';
import { caller, expectStatus } from './http.ts';
import type { DemoAgent, DemoLp } from './parties.ts';
import type { DemoOrder } from './payment.ts';
import type { Stage } from './stage.ts';

/** The payer pays an LP on the simulated chain, and the agent settles with the hash: the order is completed. */
export async function settleOnSandbox(
  stage: Stage,
  agent: DemoAgent,
  { id, owed, webhook }: DemoOrder,
  lp: DemoLp,
): Promise<void> {
  const { tx_hash } = await expectStatus(
    201,
    caller(stage.baseUrl)('POST', '/sandbox/transactions', { ...owed, to: lp.address }),
  );
  await act(stage, agent.call, `POST /api/v1/settle/${id}`, { tx_hash });
  await webhook('crypto_verify_pending');
  await webhook('completed');
}
