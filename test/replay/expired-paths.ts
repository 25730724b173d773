import { expectStatus } from '../../dev/http-client.ts';
import type { TestCorridor } from '../support/corridor.ts';
import type { Agent, TestLp } from '../support/parties.ts';
import { ENDED } from './landmarks.ts';
import type { Path } from './path.ts';

/** Deadlines that a party expires in the sandbox, in every status that has one. */
export const EXPIRED_PATHS: Record<string, Path> = {
  'expired-unclaimed': {
    last: ENDED,
    take: async (corridor, agent) => {
      await corridor.newLp();
      const id = await agent.newOrder();
      await expireNow(agent, id);
      return id;
    },
  },
  'expired-unpaid-and-unverified': {
    last: 'openDispute',
    take: async (corridor, agent) => {
      const id = await orderAt(corridor, agent, []);
      await expireNow(agent, id);
      const next = await corridor.newLp();
      await expectStatus(200, next.claim(id));
      for (const step of [...STEPS_AFTER_CLAIM, () => agent.settle(id, 'ab'.repeat(32))])
        await expectStatus(200, step(next, agent, id));
      await expireNow(agent, id);
      return id;
    },
  },
  'expired-unconfirmed': {
    last: 'openDispute',
    take: async (corridor, agent) => {
      const id = await orderAt(corridor, agent, STEPS_AFTER_CLAIM.slice(0, 1));
      await expireNow(agent, id);
      return id;
    },
  },
  'expired-unsettled': {
    last: 'openDispute',
    take: async (corridor, agent) => {
      const id = await orderAt(corridor, agent, STEPS_AFTER_CLAIM);
      await expireNow(agent, id);
      return id;
    },
  },
};

const STEPS_AFTER_CLAIM = [
  (lp: TestLp, _agent: Agent, id: number) => lp.fiatSent(id),
  (_lp: TestLp, agent: Agent, id: number) => agent.confirm(id),
];

async function orderAt(
  corridor: TestCorridor,
  agent: Agent,
  steps: typeof STEPS_AFTER_CLAIM,
): Promise<number> {
  const lp = await corridor.newLp();
  const id = await agent.newOrder();
  await expectStatus(200, lp.claim(id));
  for (const step of steps) await expectStatus(200, step(lp, agent, id));
  return id;
}

const expireNow = (agent: Agent, id: number) =>
  expectStatus(200, agent.call('POST', `/sandbox/orders/${id}/advance`, {}));
