import type { Random } from '../../test/support/random.ts';
import { type Intention, pickAny, SPELLINGS } from './actions.ts';
import type { DepositSeen, MarketLp, View } from './view.ts';

const PRICES_USD = [10, 10, 20];
/** The number of open announcements of an LP. The service allows more. */
const MAX_OPEN = 6;

const ownerOf = ({ lps }: View, { lpId }: DepositSeen): MarketLp | undefined =>
  lps.find(({ id }) => id === lpId);

const isOpen = ({ hash, isRight, isCredited }: DepositSeen) => !isCredited && (hash === null || isRight);

function pickDepositor(random: Random, view: View, isHonest: boolean): MarketLp | undefined {
  const lp = pickAny(
    random,
    view.lps.filter((one) => one.isHonest === isHonest),
  );
  const own = view.deposits.filter((one) => one.lpId === lp?.id && isOpen(one));
  return own.length < MAX_OPEN ? lp : undefined;
}

const pickDeposit = (random: Random, view: View, isWanted: (deposit: DepositSeen) => boolean) =>
  pickAny(random, view.deposits.filter(isWanted).slice(-5));

const isOf = (view: View, deposit: DepositSeen, isHonest: boolean) =>
  ownerOf(view, deposit)?.isHonest === isHonest;

/** Confirms an uncredited announcement of a dishonest LP with a transfer that was made for another announcement. */
const confirmWithOther =
  (isWanted: (other: DepositSeen) => boolean): Intention['choose'] =>
  (random, view) => {
    const spell = random.pick(SPELLINGS);
    const deposit = pickDeposit(random, view, (one) => isOpen(one) && isOf(view, one, false));
    const other = pickDeposit(
      random,
      view,
      (one) => one.hash !== null && one.id !== deposit?.id && isWanted(one),
    );
    const lp = deposit && ownerOf(view, deposit);
    return lp && other?.hash ? { kind: 'confirmDeposit', lp, deposit, hash: spell(other.hash) } : undefined;
  };

/** LPs deposit collateral. All participants see the transfers, and some LPs try to use those of others. */
export const DEPOSITORS: Intention[] = [
  {
    what: 'an honest LP announces a deposit',
    weight: 2,
    choose: (random, view) => {
      const lp = pickDepositor(random, view, true);
      return lp && { kind: 'announce', lp, usd: random.pick(PRICES_USD) };
    },
  },
  {
    what: 'an LP transfers the amount of its announcement',
    weight: 3,
    choose: (random, view) => {
      const deposit = pickDeposit(random, view, ({ isBeingPaid }) => !isBeingPaid);
      return deposit && { kind: 'payDeposit', deposit, units: 0 };
    },
  },
  {
    what: 'an honest LP confirms its deposit',
    weight: 3,
    choose: (random, view) => {
      const deposit = pickDeposit(
        random,
        view,
        (one) => one.isRight && !one.isCredited && isOf(view, one, true),
      );
      const lp = deposit && ownerOf(view, deposit);
      return lp && deposit.hash
        ? { kind: 'confirmDeposit', lp, deposit, hash: random.pick(SPELLINGS)(deposit.hash) }
        : undefined;
    },
  },
  {
    what: 'a dishonest LP announces a deposit',
    weight: 2,
    choose: (random, view) => {
      const lp = pickDepositor(random, view, false);
      return lp && { kind: 'announce', lp, usd: random.pick([...PRICES_USD, 0.000001]) };
    },
  },
  {
    what: 'a dishonest LP announces the transfer of another LP as its own',
    weight: 2,
    choose: (random, view) => {
      const lp = pickDepositor(random, view, false);
      const other = pickDeposit(random, view, ({ hash, lpId }) => hash !== null && lpId !== lp?.id);
      return lp && other?.hash
        ? { kind: 'announce', lp, usd: random.pick(PRICES_USD), hash: random.pick(SPELLINGS)(other.hash) }
        : undefined;
    },
  },
  {
    what: 'a dishonest LP confirms what it has announced with another’s transfer',
    weight: 2,
    choose: (random, view) => {
      const deposit = pickDeposit(random, view, ({ hasNamed, isCredited }) => hasNamed && !isCredited);
      const lp = deposit && ownerOf(view, deposit);
      return lp && { kind: 'confirmDeposit', lp, deposit };
    },
  },
  {
    what: 'a front-runner confirms with the transfer of a deposit that is not credited yet',
    weight: 3,
    choose: confirmWithOther(({ isCredited }) => !isCredited),
  },
  {
    what: 'an LP confirms with a transfer that has been credited',
    weight: 2,
    choose: confirmWithOther(({ isCredited }) => isCredited),
  },
  {
    what: 'a dishonest LP confirms with the transfer of an order',
    weight: 1,
    choose: (random, view) => {
      const deposit = pickDeposit(random, view, (one) => isOpen(one) && isOf(view, one, false));
      const [lp, transfer] = [deposit && ownerOf(view, deposit), pickAny(random, view.transfers)];
      return deposit && lp && transfer && { kind: 'confirmDeposit', lp, deposit, hash: transfer.hash };
    },
  },
  {
    what: 'an LP confirms the announcement of another LP',
    weight: 1,
    choose: (random, view) => {
      const deposit = pickDeposit(random, view, ({ hash, isCredited }) => hash !== null && !isCredited);
      const thief = view.lps.find(({ isHonest, id }) => !isHonest && id !== deposit?.lpId);
      return deposit?.hash && thief
        ? { kind: 'confirmDeposit', lp: thief, deposit, hash: deposit.hash }
        : undefined;
    },
  },
  {
    what: 'a dishonest LP transfers one unit too little or too much, and confirms',
    weight: 1,
    choose: (random, view) => {
      const units = random.pick([-1, 1]);
      const deposit = pickDeposit(random, view, (one) => !one.isBeingPaid && isOf(view, one, false));
      return deposit && { kind: 'payDeposit', deposit, units };
    },
  },
  {
    what: 'a dishonest LP confirms its deposit many times at once',
    weight: 1,
    choose: (random, view) => {
      const deposit = pickDeposit(random, view, (one) => one.hash !== null && isOf(view, one, false));
      const lp = deposit && ownerOf(view, deposit);
      if (!lp || !deposit.hash) return undefined;
      const hash = deposit.hash;
      const actions = SPELLINGS.map((spell) => ({
        ...({ kind: 'confirmDeposit', lp, deposit } as const),
        hash: spell(hash),
      }));
      return { kind: 'together', actions };
    },
  },
];
