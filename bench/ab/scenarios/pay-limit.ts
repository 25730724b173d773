import { expectStatus } from '../../../dev/http-client.ts';
import { newLp, newUnlimitedAgent, pay } from '../../../test/support/actors.ts';
import { ms, ownCorridor, type Scenario } from '../scenario.ts';

export const PAY_LIMIT: Scenario = {
  question: 'What does an agent’s limit cost, whose row each of many payments at once locks?',
  sizes: { payments: 64 },
  rounds: 9,
  warms: true,
  async start(given) {
    const { corridor } = await ownCorridor(given);
    await newLp(corridor);
    const burst = async (max_exposure_usd: number) => {
      const agent = await newUnlimitedAgent(corridor);
      const path = `/api/admin/agent-keys/${agent.keyId}`;
      await expectStatus(200, corridor.admin('POST', path, { max_exposure_usd }));
      const one = () => expectStatus(201, pay(agent));
      return { 'all, ms': await ms(() => Promise.all(Array.from({ length: given.size('payments') }, one))) };
    };
    return { 'without a limit': () => burst(0), 'with one': () => burst(1e9) };
  },
};
