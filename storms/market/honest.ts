import type { Random } from '../../test/support/random.ts';
import { type Action, byAgent, byLp, type Intention, pickAny, settleWith } from './actions.ts';
import { agentOf, lpOf, type MarketAgent, type OrderSeen, type View } from './view.ts';

const PRICES_USD = [10, 20, 50];

/** Returns the next action of an honest party towards the completion of the order. Undefined: a dishonest party must act. */
export function nextHonestAction(random: Random, view: View, order: OrderSeen): Action | undefined {
  const agent = agentOf(view, order);
  const lp = lpOf(view, order);
  if (order.status === 'matched') {
    const claimants = view.lps.filter(({ id, isHonest }) => isHonest && !order.excludedLpIds.includes(id));
    const claimant = pickAny(random, claimants);
    return claimant && byLp(claimant, 'claim', order);
  }
  if (order.status === 'claimed') return lp?.isHonest ? byLp(lp, 'fiatSent', order) : undefined;
  if (!agent.isHonest || agent.isRevoked || !lp) return undefined;
  if (order.status === 'fiat_sent') return byAgent(agent, 'confirm', order);
  if (order.status !== 'confirmed') return undefined;
  const paid = view.transfers.find(
    ({ orderId, lpId, isRight }) => orderId === order.id && lpId === lp.id && isRight,
  );
  // The transfer and the settlement are separate actions, so that other participants can see the hash in between.
  if (!paid) return { kind: 'transfer', agent, order, lp, units: 0, isSilent: true };
  return settleWith(agent, order, paid.hash);
}

/** The agents that may pay. Orders of revoked agents do not count, because they wait for an admin. */
function mayPay(view: View): MarketAgent[] {
  const live = view.live.filter((order) => !agentOf(view, order).isRevoked);
  return live.length < view.maxLive
    ? view.agents.filter(({ isRevoked, isHonest }) => isHonest && !isRevoked)
    : [];
}

export const HONEST: Intention[] = [
  {
    what: 'an honest agent pays',
    weight: 9,
    choose: (random, view) => {
      const [agent, usd] = [pickAny(random, mayPay(view)), random.pick(PRICES_USD)];
      return agent && { kind: 'pay', agent, usd };
    },
  },
  {
    what: 'an honest party performs its next action',
    weight: 60,
    choose: (random, view) => {
      // A disputed order, and one that waits for a dishonest party, has no honest action.
      const draws = [random.next(), random.next(), random.next()];
      for (const draw of draws) {
        const order = view.live[Math.floor(draw * view.live.length)];
        const action = order && nextHonestAction(random, view, order);
        if (action) return action;
      }
      return undefined;
    },
  },
  {
    what: 'an agent pays five times at the same moment, over its limit',
    weight: 2,
    choose: (random, view) => {
      const greedy = pickAny(
        random,
        mayPay(view).filter(({ cap }) => cap !== null),
      );
      if (!greedy) return undefined;
      const actions = Array.from({ length: 5 }, (): Action => ({ kind: 'pay', agent: greedy, usd: 50 }));
      return { kind: 'together', actions };
    },
  },
  {
    what: 'an honest agent cancels an order that nobody has claimed',
    weight: 1,
    choose: (random, view) => {
      const open = view.live.filter((order) => order.status === 'matched' && agentOf(view, order).isHonest);
      const order = pickAny(random, open);
      return order && byAgent(agentOf(view, order), 'cancel', order);
    },
  },
];
