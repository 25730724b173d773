import { describe, expect, test } from '@jest/globals';
import { CHAINS } from '../../../storms/market/chains.ts';
import { findLeftovers } from '../../../storms/market/invariants.ts';
import { type Market, openMarket } from '../../../storms/market/market.ts';
import { endOrders, endRestrictions, expectNoBreach, runMarket } from '../../../storms/market/run.ts';
import { agentOf } from '../../../storms/market/view.ts';
import { startCorridor } from '../../support/corridor.ts';
import { createIntruder } from '../../support/intruder.ts';
import { newSeedFrom } from '../../support/random.ts';
import { SCALED_TIMEOUT_MS, scaled } from '../../support/scale.ts';
import { expectSoundWhenStill } from '../../support/soundness.ts';

/**
 * Honest and dishonest agents, LPs, intruders and admins act at random on a real Corridor, several at the same moment.
 * The seed repeats what each step wants and its random values, but not how the service interleaves them.
 */
const SEED = newSeedFrom('MARKET_SEED');
const SEEDS = Number(process.env.MARKET_SEEDS ?? scaled({ short: 1, long: 20 }));
/** The steps on each chain. The short form also runs on a real EVM node. */
const RUNS: Record<string, number> = process.env.MARKET_CHAIN
  ? { [process.env.MARKET_CHAIN]: scaled({ short: 500, long: 5_000 }) }
  : scaled<Record<string, number>>({ short: { sandbox: 500, evm: 80 }, long: { sandbox: 5_000 } });
const ALL = Object.entries(RUNS).flatMap(([chain, steps]) =>
  Array.from({ length: SEEDS }, (_, i) => ({
    ...({ seed: SEED + i, chainName: chain === 'evm' ? 'evm' : 'sandbox' } as const),
    steps: Number(process.env.MARKET_STEPS ?? steps),
  })),
);

// A release right after the claim gets a strike, and a cool-down lasts longer than a run.
const SETTINGS = { RELEASE_GRACE: '1ms', STRIKE_COOL_DOWN: '12h' };

describe.each(ALL)('the market of seed $seed on $chainName, $steps steps', ({ seed, chainName, steps }) => {
  test(
    'keeps every rule, and every honest order ends',
    async () => {
      process.stderr.write(
        `\ntests: the seed of the market is ${seed} (MARKET_SEED=${seed} repeats its plan)`,
      );
      const chain = await CHAINS[chainName]();
      const corridor = await startCorridor({ env: { ...SETTINGS, ...chain.env } });
      const intruder = await createIntruder(corridor);
      try {
        const market = await openMarket(corridor, intruder, chain);
        const beganAt = Date.now();
        const followed = await runMarket(market, seed, steps);
        const tookMs = Date.now() - beganAt;
        await endRestrictions(market);
        const polls = await endOrders(market, seed, (view, order) => {
          const { isHonest, isRevoked } = agentOf(view, order);
          return isHonest && !isRevoked;
        });
        await endOrders(market, seed, () => true);
        // In a few steps there may be none in honest hands.
        if (steps >= 500) expect(followed.orders).toBeGreaterThan(0);
        if (process.env.MARKET_REPORT) report(market, { steps, tookMs, polls, ...followed });
        await expectNoBreach(market, seed);
        expect(await findLeftovers(market)).toEqual([]);
        await expectSoundWhenStill(corridor);
      } finally {
        await intruder.leave();
        await corridor.stop();
        await chain.stop();
      }
    },
    SCALED_TIMEOUT_MS,
  );
});

const report = ({ counts }: Market, figures: object) =>
  process.stderr.write(
    `\n${[...counts]
      .map((entry) => entry.join(' '))
      .sort()
      .join('\n')}\n${JSON.stringify(figures)}\n`,
  );
