import { parseArgs } from 'node:util';
import { createProgram } from '../dev/cleanup.ts';
import { createCallers, expectStatus } from '../dev/http-client.ts';
import { startOwnCorridor } from '../dev/own-corridor.ts';
import { loadSecrets } from '../src/settings/secrets.ts';
import { newLp, newUnlimitedAgent, pay } from '../test/support/actors.ts';
import { NO_RATE_LIMITS } from '../test/support/no-rate-limits.ts';
import { percentile } from './figures.ts';

const USAGE = `usage: npm run bench:pay-limit -- [--rounds N] [--payments N]

Measures what an agent's limit costs: N payments (64) at once by an agent without a limit, and by one with a limit that
they do not reach, whose row each of them locks. In turns, each round (9) with new agents.`;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    payments: { type: 'string', default: '64' },
    help: { type: 'boolean', short: 'h' },
  },
});
const { say, cleanup } = createProgram();
if (values.help) say(USAGE);
else await main(Number(values.rounds), Number(values.payments)).finally(cleanup.run);

async function main(rounds: number, payments: number): Promise<void> {
  const { config } = await startOwnCorridor({
    settings: NO_RATE_LIMITS,
    progress: say,
    cleanup,
  });
  const corridor = createCallers(config.publicUrl, (await loadSecrets(config)).adminApiKey);

  /** How long the payments of a new agent take together, in ms. */
  async function burst(max_exposure_usd: number): Promise<number> {
    const agent = await newUnlimitedAgent(corridor);
    await expectStatus(
      200,
      corridor.admin('POST', `/api/admin/agent-keys/${agent.keyId}`, { max_exposure_usd }),
    );
    const began = performance.now();
    await Promise.all(Array.from({ length: payments }, () => expectStatus(201, pay(agent))));
    return performance.now() - began;
  }

  await newLp(corridor);
  await burst(0);
  const [without, withLimit, ratios]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < rounds; round++) {
    // Each goes first in every other round.
    const limits = round % 2 === 0 ? [0, 1e9] : [1e9, 0];
    const taken = new Map<number, number>();
    for (const limit of limits) taken.set(limit, await burst(limit));
    const [free, capped] = [taken.get(0) ?? Number.NaN, taken.get(1e9) ?? Number.NaN];
    without.push(free);
    withLimit.push(capped);
    ratios.push(capped / free);
  }
  const [free, capped, ratio] = [without, withLimit, ratios].map((list) =>
    percentile(
      [...list].sort((a, b) => a - b),
      50,
    ),
  ) as [number, number, number];
  say(
    `${payments} payments at once: ${free.toFixed(0)} ms without a limit, ${capped.toFixed(0)} ms with one`,
  );
  say(
    `with ÷ without: ${ratio.toFixed(2)}, median of ${rounds} rounds (${ratios.map((it) => it.toFixed(2)).join(', ')})`,
  );
}
