import { describe, expect, test } from '@jest/globals';
import { CHAINS } from '../market/chains.ts';
import { findLeftovers } from '../market/invariants.ts';
import { type Market, openMarket } from '../market/market.ts';
import { endOrders, endRestrictions, expectNoBreach, runMarket } from '../market/run.ts';
import { agentOf } from '../market/view.ts';
import { startCorridor } from '../support/corridor.ts';
import { createIntruder } from '../support/intruder.ts';
import { seedFrom } from '../support/random.ts';
import { SCALED_TIMEOUT_MS, scaled } from '../support/scale.ts';
import { expectSoundWhenStill } from '../support/soundness.ts';

/**
 * Honest and dishonest agents, LPs, intruders and admins act at random on a real Corridor, several at the same moment.
 * The seed repeats what each step wants and its random values, but not how the service interleaves them.
 */
const SEED = seedFrom('MARKET_SEED');
const SEEDS = Number(process.env.MARKET_SEEDS ?? scaled({ short: 1, long: 20 }));
const STEPS = Number(process.env.MARKET_STEPS ?? scaled({ short: 500, long: 5_000 }));
const CHAIN = process.env.MARKET_CHAIN === 'evm' ? 'evm' : 'sandbox';

// A release right after the claim gets a strike, and a cool-down lasts longer than a run.
const SETTINGS = { RELEASE_GRACE: '1ms', STRIKE_COOL_DOWN: '12h' };

describe.each(Array.from({ length: SEEDS }, (_, i) => SEED + i))(
  `the market of seed %i on ${CHAIN}`,
  (seed) => {
    test(
      'keeps every rule, and every honest order ends',
      async () => {
        process.stderr.write(
          `\ntests: the seed of the market is ${seed} (MARKET_SEED=${seed} repeats its plan)`,
        );
        const chain = await CHAINS[CHAIN]();
        const corridor = await startCorridor({ env: { ...SETTINGS, ...chain.env } });
        const intruder = await createIntruder(corridor);
        try {
          const market = await openMarket(corridor, intruder, chain);
          const beganAt = Date.now();
          await runMarket(market, seed, STEPS);
          const tookMs = Date.now() - beganAt;
          await endRestrictions(market);
          const polls = await endOrders(market, seed, (view, order) => {
            const { isHonest, isRevoked } = agentOf(view, order);
            return isHonest && !isRevoked;
          });
          await endOrders(market, seed, () => true);
          if (process.env.MARKET_REPORT) report(market, `${STEPS} steps in ${tookMs} ms, ${polls} polls`);
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
  },
);

const report = ({ counts }: Market, end: string) =>
  process.stderr.write(
    `\n${[...counts]
      .map((entry) => entry.join(' '))
      .sort()
      .join('\n')}\n${end}\n`,
  );
