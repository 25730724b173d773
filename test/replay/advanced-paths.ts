import { expectStatus } from '../../demo/http.ts';
import {
  type Agent,
  claim,
  confirm,
  fiatSent,
  newLp,
  newOrder,
  settle,
  type TestLp,
} from '../support/actors.ts';
import type { TestCorridor } from '../support/corridor.ts';
import { ENDED } from './landmarks.ts';
import type { Path } from './paths.ts';

/** A deadline that was made to pass in a sandbox, in every status that has one. */
export const ADVANCED_PATHS: Record<string, Path> = {
  'advanced-unclaimed': {
    last: ENDED,
    take: async (corridor, agent) => {
      await newLp(corridor);
      const id = await newOrder(agent);
      await advance(agent, id);
      return id;
    },
  },
  'advanced-unpaid-and-unverified': {
    last: 'openDispute',
    take: async (corridor, agent) => {
      const id = await taken(corridor, agent, []);
      await advance(agent, id);
      const next = await newLp(corridor);
      await expectStatus(200, claim(next, id));
      for (const way of [...ONWARD, () => settle(agent, id, 'ab'.repeat(32))])
        await expectStatus(200, way(next, agent, id));
      await advance(agent, id);
      return id;
    },
  },
  'advanced-unconfirmed': {
    last: 'openDispute',
    take: async (corridor, agent) => {
      const id = await taken(corridor, agent, ONWARD.slice(0, 1));
      await advance(agent, id);
      return id;
    },
  },
  'advanced-unsettled': {
    last: 'openDispute',
    take: async (corridor, agent) => {
      const id = await taken(corridor, agent, ONWARD);
      await advance(agent, id);
      return id;
    },
  },
};

const ONWARD = [
  (lp: TestLp, _agent: Agent, id: number) => fiatSent(lp, id),
  (_lp: TestLp, agent: Agent, id: number) => confirm(agent, id),
];

async function taken(corridor: TestCorridor, agent: Agent, onward: typeof ONWARD): Promise<number> {
  const lp = await newLp(corridor);
  const id = await newOrder(agent);
  await expectStatus(200, claim(lp, id));
  for (const way of onward) await expectStatus(200, way(lp, agent, id));
  return id;
}

const advance = (agent: Agent, id: number) =>
  expectStatus(200, agent.call('POST', `/sandbox/orders/${id}/advance`, {}));
