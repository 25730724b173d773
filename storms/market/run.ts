import { setTimeout as delay } from 'node:timers/promises';
import { createRandom } from '../../test/support/random.ts';
import { byAdmin, expire } from './actions.ts';
import { describeStuck } from './describe-stuck.ts';
import { type Followed, followHonestOrders } from './follow.ts';
import { nextHonestAction } from './honest.ts';
import { findBreaches } from './invariants.ts';
import { type Market, readView } from './market.ts';
import { perform } from './perform.ts';
import { chooseAction, plannedStep } from './plan.ts';
import { agentOf, lpOf, type OrderSeen, type View } from './view.ts';

/** The number of participants that act at the same time. */
const LANES = 8;
const MAX_LIVE = 40;
/** How often the invariants are checked during the run. */
const CHECKS = 10;

/**
 * Carries out the plan of a seed, and follows honest orders meanwhile. Throws when an invariant does not hold, or when
 * somebody blocks an honest order.
 */
export async function runMarket(market: Market, seed: number, steps: number): Promise<Followed> {
  let next = 0;
  let hasFailed = false;
  const lane = async () => {
    while (!hasFailed && next < steps) {
      const step = next++;
      const chosen = chooseAction(plannedStep(seed, step), await readView(market, MAX_LIVE));
      if (chosen) {
        const key = `${chosen.what}: ${await perform(market, chosen.action)}`;
        market.counts.set(key, (market.counts.get(key) ?? 0) + 1);
      }
      if ((step + 1) % Math.ceil(steps / CHECKS) === 0) await expectNoBreach(market, seed);
    }
  };
  const stopAll = (error: unknown) => {
    hasFailed = true;
    throw error;
  };
  const followed = followHonestOrders(market, seed, () => !hasFailed && next < steps).catch(stopAll);
  const lanes = Array.from({ length: LANES }, () => lane().catch(stopAll));
  await Promise.allSettled([followed, ...lanes]);
  await Promise.all(lanes);
  return followed;
}

export async function expectNoBreach(market: Market, seed: number): Promise<void> {
  const breaches = await findBreaches(market);
  if (breaches.length > 0) throw new Error(`MARKET_SEED=${seed} broke the rules:\n${breaches.join('\n')}`);
}

const POLL_MS = 100;

/** The number of polls within which every order must end. An honest order needs at most five more steps. */
const POLLS = 300;

/**
 * Ends all orders that `isIncluded` selects, after the dishonest participants have stopped. A party acts once per order and poll.
 * Returns the number of polls. Throws if an order has not ended within the bound.
 */
export async function endOrders(
  market: Market,
  seed: number,
  isIncluded: (view: View, order: OrderSeen) => boolean,
): Promise<number> {
  const random = createRandom(seed);
  const answers = new Map<number, string[]>();
  for (let poll = 1; ; poll++) {
    const view = await readView(market, 0);
    const live = view.live.filter((order) => isIncluded(view, order));
    if (live.length === 0) return poll;
    if (poll > POLLS) {
      const stuck = await Promise.all(
        live.map(
          async ({ id, status, version }) =>
            `order ${id} is still ${status} at version ${version}, after ${answers.get(id)?.slice(-5).join(', ') || 'no answer'}:\n${await describeStuck(market, id)}`,
        ),
      );
      throw new Error(`MARKET_SEED=${seed} left orders stuck after ${POLLS} polls:\n${stuck.join('\n')}`);
    }
    await Promise.all(
      live.map(async (order) => {
        const action = endingAction(random, view, order);
        if (!action) return;
        const answer = `${action.kind} ${await perform(market, action)}`;
        answers.set(order.id, [...(answers.get(order.id) ?? []), answer]);
      }),
    );
    await delay(POLL_MS);
  }
}

/** If a dishonest party does not act, the order's deadline expires, and an admin resolves the dispute. */
function endingAction(random: ReturnType<typeof createRandom>, view: View, order: OrderSeen) {
  if (order.isFrozen) return byAdmin('unfreeze', order);
  if (order.status === 'disputed') return byAdmin('resolve', order);
  const { isHonest, isRevoked } = agentOf(view, order);
  const isServed = isHonest && !isRevoked;
  if (order.status === 'matched') {
    const claimed = isServed && nextHonestAction(random, view, order);
    return claimed || byAdmin('cancel', order);
  }
  if (order.status === 'claimed' && lpOf(view, order)?.isHonest) return nextHonestAction(random, view, order);
  // The chain's verdict on an honest order comes by itself.
  if (order.status === 'crypto_verify_pending' && isServed) return undefined;
  return nextHonestAction(random, view, order) ?? expire('admin', null, order);
}

/** Ends all pauses and suspensions. */
export async function endRestrictions(market: Market): Promise<void> {
  if (market.pause) await perform(market, { kind: 'resume', pauseId: market.pause.id });
  for (const lp of market.lps.filter(({ isSuspended }) => isSuspended))
    await perform(market, { kind: 'approve', lp });
}
