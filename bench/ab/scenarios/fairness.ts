import { claim, newLp, newOrder, newUnlimitedAgent } from '../../../test/support/actors.ts';
import { percentile } from '../../figures.ts';
import { type Figures, ms, ownCorridor, type Scenario } from '../scenario.ts';

/** Payments per round whose time is taken. */
const SINGLE = 30;

export const FAIRNESS: Scenario = {
  question:
    'How long do an agent’s single payment and its claim take while another agent sends many at once?',
  sizes: { payments: 2_000, concurrent: 1_000, COMMAND_CONCURRENCY: 2 },
  rounds: 5,
  warms: true,
  async start(given) {
    const { corridor } = await ownCorridor(given, {
      ...{ AGENT_RATE_LIMIT: '0', PAY_RATE_LIMIT: '0' },
      COMMAND_CONCURRENCY: String(given.size('COMMAND_CONCURRENCY')),
    });
    const lp = await newLp(corridor, { collateral: 1_000_000 });
    const [crowd, single] = [await newUnlimitedAgent(corridor), await newUnlimitedAgent(corridor)];
    /** Until there are enough or the others have ended. */
    const singles = async (ended: () => boolean): Promise<Figures> => {
      const [pays, claims]: [number[], number[]] = [[], []];
      while (pays.length < SINGLE && !ended()) {
        const began = performance.now();
        const id = await newOrder(single);
        pays.push(performance.now() - began);
        claims.push(await ms(async () => requireOk(await claim(lp, id))));
      }
      return { 'pay, p50, ms': percentile(pays, 50), 'claim, p50, ms': percentile(claims, 50) };
    };
    const besideMany = async () => {
      let [left, refused, ended] = [given.size('payments'), 0, false];
      const one = async () => {
        while (left-- > 0) await newOrder(crowd).catch(() => refused++);
      };
      const many = Promise.all(Array.from({ length: given.size('concurrent') }, one)).finally(() => {
        ended = true;
      });
      const figures = await singles(() => ended);
      await many;
      given.say(`${refused} payments of the other agent were refused`);
      return figures;
    };
    return { quiet: () => singles(() => false), 'beside many': besideMany };
  },
};

function requireOk({ status }: { status: number }): void {
  if (status !== 200) throw new Error(`A claim was answered with ${status}`);
}
