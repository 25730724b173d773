import { setTimeout as delay } from 'node:timers/promises';
import { createRandom, type Random } from '../../test/support/random.ts';
import { type Action, byAdmin } from './actions.ts';
import { describeStuck } from './describe-stuck.ts';
import { nextHonestAction } from './honest.ts';
import { type Market, readView } from './market.ts';
import { perform } from './perform.ts';
import { agentOf, lpOf, type OrderSeen, type View } from './view.ts';

const POLL_MS = 50;
/**
 * The time after which an order in honest hands counts as blocked. It needs at most five steps: a second on a quiet machine,
 * eight seconds where six others compute. If somebody replaces its workflow, a step may also wait for a timeout of ten seconds.
 */
const BOUND_MS = 120_000;

/** What followed orders took. */
export interface Followed {
  orders: number;
  longestMs: number;
}

/** Whether only honest parties have to act until the order is completed. */
function isInHonestHands(view: View, order: OrderSeen): boolean {
  const { isHonest, isRevoked } = agentOf(view, order);
  const isClaimed = order.status !== 'matched' && order.status !== 'disputed';
  return isHonest && !isRevoked && isClaimed && Boolean(lpOf(view, order)?.isHonest);
}

/**
 * Follows one order in honest hands after another while everybody acts: its parties do their parts at once, and an admin
 * unfreezes it. Throws if such an order has not ended within the bound.
 */
export async function followHonestOrders(
  market: Market,
  seed: number,
  isRunning: () => boolean,
): Promise<Followed> {
  const random = createRandom(seed);
  const seen = new Set<number>();
  const followed = { orders: 0, longestMs: 0 };
  while (isRunning()) {
    const view = await readView(market, 0);
    const order = view.live.find((one) => !seen.has(one.id) && isInHonestHands(view, one));
    if (order) {
      seen.add(order.id);
      const tookMs = await follow(market, seed, random, order.id);
      if (tookMs !== undefined) {
        followed.orders++;
        followed.longestMs = Math.max(followed.longestMs, tookMs);
      }
    }
    await delay(POLL_MS);
  }
  return followed;
}

/** Returns the time until the order has ended. Undefined: it left honest hands, such as by the revocation of its agent's key. */
async function follow(
  market: Market,
  seed: number,
  random: Random,
  orderId: number,
): Promise<number | undefined> {
  const began = performance.now();
  const answers: string[] = [];
  for (;;) {
    const view = await readView(market, 0);
    const order = view.live.find(({ id }) => id === orderId);
    const tookMs = performance.now() - began;
    if (!order) return tookMs;
    if (!isInHonestHands(view, order)) return undefined;
    if (tookMs > BOUND_MS)
      throw new Error(
        `MARKET_SEED=${seed} blocks order ${orderId} while others act: ${order.status} at version ${order.version} after ${BOUND_MS} ms.
The last of ${answers.length} answers: ${answers.slice(-8).join(', ')}.\n${await describeStuck(market, orderId)}`,
      );
    const action = actionFor(random, view, order);
    if (action) answers.push(`${order.status} ${action.kind} ${await perform(market, action)}`);
    await delay(POLL_MS);
  }
}

/** The chain's verdict comes by itself. */
const actionFor = (random: Random, view: View, order: OrderSeen): Action | undefined =>
  order.isFrozen ? byAdmin('unfreeze', order) : nextHonestAction(random, view, order);
