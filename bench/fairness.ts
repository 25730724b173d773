import { parseArgs } from 'node:util';
import { createProgram } from '../dev/cleanup.ts';
import { createCallers } from '../dev/http-client.ts';
import { startOwnCorridor } from '../dev/own-corridor.ts';
import { loadSecrets } from '../src/settings/secrets.ts';
import { newLp, newUnlimitedAgent } from '../test/support/actors.ts';
import { claim, newOrder } from '../test/support/repeated-steps.ts';
import { percentile, spread } from './figures.ts';

const USAGE = `usage: npm run bench:fairness -- [--rounds N] [--payments N] [--concurrent N] [--commands N]

Measures an agent's single payment and its claim, one after the other, while all is quiet, and while another agent sends N
payments (2,000), up to N at the same time (1,000). In turns, N rounds (5). --commands: COMMAND_CONCURRENCY (2).`;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    payments: { type: 'string', default: '2000' },
    concurrent: { type: 'string', default: '1000' },
    commands: { type: 'string', default: '2' },
    help: { type: 'boolean', short: 'h' },
  },
});
const { say, cleanup } = createProgram();
/** Payments per round whose time is taken. */
const SINGLE = 30;
if (values.help) say(USAGE);
else
  await main(Number(values.rounds), Number(values.payments), Number(values.concurrent)).finally(cleanup.run);

async function main(rounds: number, payments: number, concurrent: number): Promise<void> {
  const settings = { AGENT_RATE_LIMIT: '0', PAY_RATE_LIMIT: '0', COMMAND_CONCURRENCY: values.commands };
  const { config } = await startOwnCorridor({ settings, progress: say, cleanup });
  const corridor = createCallers(config.publicUrl, (await loadSecrets(config)).adminApiKey);
  const lp = await newLp(corridor, { collateral: 1_000_000 });
  const [crowd, single] = [await newUnlimitedAgent(corridor), await newUnlimitedAgent(corridor)];

  /** The median times of single payments and claims, in ms, until there are enough or the others have ended. */
  async function singles(until: () => boolean): Promise<{ pay: number; claim: number }> {
    const pays: number[] = [];
    const claims: number[] = [];
    while (pays.length < SINGLE && !until()) {
      const began = performance.now();
      const id = await newOrder(single);
      pays.push(performance.now() - began);
      const claimed = performance.now();
      const { status } = await claim(lp, id);
      claims.push(performance.now() - claimed);
      if (status !== 200) throw new Error(`A claim was answered with ${status}`);
    }
    return { pay: percentile(pays, 50), claim: percentile(claims, 50) };
  }

  const never = () => false;
  await singles(never);
  const ratios = { pay: [] as number[], claim: [] as number[] };
  for (let round = 1; round <= rounds; round++) {
    const quiet = await singles(never);
    let left = payments;
    let refused = 0;
    const one = async () => {
      while (left-- > 0) await newOrder(crowd).catch(() => refused++);
    };
    let done = false;
    const began = performance.now();
    const flood = Promise.all(Array.from({ length: concurrent }, one)).finally(() => {
      done = true;
    });
    const busy = await singles(() => done);
    await flood;
    const seconds = (performance.now() - began) / 1_000;
    ratios.pay.push(busy.pay / quiet.pay);
    ratios.claim.push(busy.claim / quiet.claim);
    say(
      `round ${round}: pay ${quiet.pay.toFixed(1)} ms, ${busy.pay.toFixed(1)} ms beside the others; claim ${quiet.claim.toFixed(1)}, ${busy.claim.toFixed(1)}; ${payments} in ${seconds.toFixed(1)} s, ${refused} refused`,
    );
  }
  for (const [name, all] of Object.entries(ratios)) {
    const { median, min, max } = spread(all);
    say(`${name}, beside the others ÷ quiet: ${median.toFixed(2)} (${min.toFixed(2)} to ${max.toFixed(2)})`);
  }
}
