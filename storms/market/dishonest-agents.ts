import type { Random } from '../../test/support/random.ts';
import { type Action, byAgent, type Intention, pickAny, SPELLINGS, settleWith } from './actions.ts';
import {
  agentOf,
  lpOf,
  type MarketAgent,
  type MarketLp,
  type OrderSeen,
  type Transfer,
  type View,
} from './view.ts';

/** The number of live orders of a dishonest agent. */
const MAX_LIVE = 12;

interface DishonestOrder {
  agent: MarketAgent;
  order: OrderSeen;
  lp: MarketLp;
}

/** An order of a dishonest agent in the status, and its LP. */
function pickDishonestOrder(
  random: Random,
  view: View,
  status: OrderSeen['status'],
): DishonestOrder | undefined {
  const order = pickAny(
    random,
    view.live.filter((one) => one.status === status && !agentOf(view, one).isHonest),
  );
  const lp = order && lpOf(view, order);
  const agent = order && agentOf(view, order);
  return agent && !agent.isRevoked && lp ? { agent, order, lp } : undefined;
}

/** Settles a confirmed order of a dishonest agent with a transfer of any participant. */
const settleWithOne =
  (isWanted: (transfer: Transfer, own: DishonestOrder, view: View) => boolean): Intention['choose'] =>
  (random, view) => {
    const own = pickDishonestOrder(random, view, 'confirmed');
    const spell = random.pick(SPELLINGS);
    const wanted = view.transfers.filter((transfer) => own && isWanted(transfer, own, view));
    // Only the newest transfers, for which the agents race.
    const transfer = pickAny(random, wanted.slice(-5));
    return own && transfer && settleWith(own.agent, own.order, spell(transfer.hash));
  };

const pays =
  (units: number): Intention['choose'] =>
  (random, view) => {
    const own = pickDishonestOrder(random, view, 'confirmed');
    return own && { kind: 'transfer', ...own, units, isSilent: false };
  };

const isLive = (view: View, id: number) => view.live.some((order) => order.id === id);

export const DISHONEST_AGENTS: Intention[] = [
  {
    what: 'a dishonest agent pays',
    weight: 4,
    choose: (random, view) => {
      const agent = pickAny(
        random,
        view.agents.filter(({ isHonest, isRevoked }) => !isHonest && !isRevoked),
      );
      const usd = random.pick([10, 20]);
      const own = view.live.filter(({ agentKeyId }) => agentKeyId === agent?.keyId);
      return agent && own.length < MAX_LIVE ? { kind: 'pay', agent, usd } : undefined;
    },
  },
  {
    what: 'a dishonest agent confirms',
    weight: 6,
    choose: (random, view) => {
      const own = pickDishonestOrder(random, view, 'fiat_sent');
      return own && byAgent(own.agent, 'confirm', own.order);
    },
  },
  {
    what: 'a front-runner settles with the transfer of another live order to the same LP',
    weight: 5,
    choose: settleWithOne(
      (transfer, { order, lp }, view) =>
        transfer.lpId === lp.id && transfer.orderId !== order.id && isLive(view, transfer.orderId),
    ),
  },
  {
    what: 'an agent settles with the transfer of an order that has ended',
    weight: 3,
    choose: settleWithOne(
      (transfer, { order }, view) => transfer.orderId !== order.id && !isLive(view, transfer.orderId),
    ),
  },
  {
    what: 'an agent settles with what the platform has sent to the same LP',
    weight: 1.5,
    choose: (random, view) => {
      const own = pickDishonestOrder(random, view, 'confirmed');
      return own && { kind: 'settleWithPlatform', ...own };
    },
  },
  { what: 'an agent pays one unit too little', weight: 1.5, choose: pays(-1) },
  { what: 'an agent pays one unit too much', weight: 1.5, choose: pays(1) },
  { what: 'a dishonest agent pays what it owes', weight: 1, choose: pays(0) },
  {
    // To each LP, because it does not know which one will claim.
    what: 'a dishonest agent pays before an LP has claimed its order',
    weight: 4,
    choose: (random, view) => {
      const early = pickDishonestOrder(random, view, 'matched');
      if (!early) return undefined;
      const { agent, order } = early;
      const actions = view.lps.map(
        (lp): Action => ({ kind: 'transfer', agent, order, lp, units: 0, isSilent: true }),
      );
      return { kind: 'together', actions };
    },
  },
  {
    what: 'an agent settles with its transfer from before the claim',
    weight: 5,
    choose: settleWithOne(
      (transfer, { order, lp }) =>
        transfer.orderId === order.id && transfer.lpId === lp.id && !transfer.isRight,
    ),
  },
  {
    what: 'an agent moves an order of another agent',
    weight: 2,
    choose: (random, view) => {
      const order = pickAny(random, view.live);
      const trigger = random.pick(['confirm', 'cancel', 'dispute', 'settle'] as const);
      const transfer = pickAny(random, view.transfers);
      const thief = view.agents.find(({ isHonest, keyId }) => !isHonest && keyId !== order?.agentKeyId);
      if (!order || !thief || !transfer) return undefined;
      return foreign(
        trigger === 'settle' ? settleWith(thief, order, transfer.hash) : byAgent(thief, trigger, order),
      );
    },
  },
];

/** Marks a command that must be refused. */
const foreign = (action: Action): Action =>
  action.kind === 'call' ? { ...action, call: { ...action.call, actor: 'nobody' } } : action;
