import { byAdmin, type Intention, pickAny } from './actions.ts';
import { nextHonestAction } from './honest.ts';

/** Admins act at any moment: they pause, suspend, revoke, forgive, resolve, unfreeze and pay out. The database fails over. */
export const OPERATORS: Intention[] = [
  {
    what: 'an admin pauses payments, or lets them continue',
    weight: 2,
    choose: (random, view) => {
      const [agent, isForAll] = [pickAny(random, view.agents), random.chance(0.3)];
      if (view.pauseId !== null) return { kind: 'resume', pauseId: view.pauseId };
      return { kind: 'pause', agent: isForAll ? null : (agent ?? null) };
    },
  },
  {
    what: 'an admin suspends an LP, or approves it',
    weight: 1.5,
    choose: (random, view) => {
      const lp = pickAny(
        random,
        view.lps.filter(({ isWatched }) => isWatched),
      );
      return lp && { kind: lp.isSuspended ? 'approve' : 'suspend', lp };
    },
  },
  {
    what: 'an admin forgives the strikes of an LP',
    weight: 1,
    choose: (random, view) => {
      const lp = pickAny(
        random,
        view.lps.filter(({ isHonest }) => !isHonest),
      );
      return lp && { kind: 'forgive', lp };
    },
  },
  {
    what: 'an admin revokes the key of an agent',
    weight: 0.4,
    choose: (random, view) => {
      const agent = pickAny(
        random,
        view.agents.filter(({ isRevoked }) => !isRevoked),
      );
      return agent && { kind: 'revoke', agent };
    },
  },
  {
    what: 'an admin resolves a dispute',
    weight: 3,
    choose: (random, view) => {
      const order = pickAny(
        random,
        view.live.filter(({ status }) => status === 'disputed'),
      );
      return order && byAdmin('resolve', order);
    },
  },
  {
    what: 'an admin unfreezes an order',
    weight: 4,
    choose: (random, view) => {
      const order = pickAny(
        random,
        view.live.filter(({ isFrozen }) => isFrozen),
      );
      return order && byAdmin('unfreeze', order);
    },
  },
  {
    what: 'the database loses what a party has done',
    weight: 1,
    choose: (random, view) => {
      const order = pickAny(
        random,
        view.live.filter(({ status }) => status === 'claimed' || status === 'fiat_sent'),
      );
      const part = order && nextHonestAction(random, view, order);
      return part && { kind: 'lose', order, part };
    },
  },
  {
    what: 'an admin pays out collateral with a transaction that has paid an order',
    weight: 0.5,
    choose: (random, view) => {
      const lp = pickAny(random, view.lps);
      const ended = view.transfers.filter(
        ({ orderId, isRight }) => isRight && !view.live.some(({ id }) => id === orderId),
      );
      const transfer = pickAny(random, ended);
      return lp && transfer && { kind: 'payOut', lp, hash: `0x${transfer.hash.toUpperCase()}` };
    },
  },
];
