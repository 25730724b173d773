import type { Logger } from 'pino';
import { isSameAddress } from '../../../adapters/addresses.ts';
import type { Chains, ChainVerifier } from '../../../adapters/ports.ts';
import type { Database } from '../../../db/orm.ts';
import { type Chain, STABLECOINS } from '../../../domain/assets.ts';
import { decimal } from '../../../domain/money.ts';
import {
  coverageOf,
  type Holding,
  NO_SHORTAGE,
  nextShortage,
  owedInTokens,
} from '../../../domain/reserves.ts';
import {
  type Books,
  forgetReserveCheck,
  isReserveCheckDue,
  lastReserveCheck,
  readBooks,
  recordReserveCheck,
} from '../reserve-check.ts';

export interface ReserveDeps {
  db: Database;
  chains: Chains;
  log: Logger;
  /** Milliseconds between two comparisons; 0: none. */
  interval: number;
}

/** Some comparisons may fail before the result is unknown. */
const GOOD_FOR_INTERVALS = 3;
/** A round of upkeep may take a while. */
const LATE_MS = 60_000;

/** One token on one chain, and the platform's addresses that hold it. */
interface Reserve {
  chain: Chain;
  symbol: string;
  verifier: ChainVerifier;
  addresses: readonly string[];
  /** The deposit address has a destination tag and is not a reserve address. */
  isTagged: boolean;
}

/**
 * Compares the holdings of the platform's addresses with what LPs are owed, if a comparison is due. Records the result
 * for all processes. A node that does not answer leaves the result unknown.
 */
export async function checkReserves(deps: ReserveDeps): Promise<void> {
  const { db, chains, log, interval } = deps;
  const reserves = interval === 0 ? [] : reservesOf(chains);
  if (reserves.length === 0) return forgetReserveCheck(db);
  if (!(await isReserveCheckDue(db, interval))) return;
  // Reads the books first. Each deposit in them was final on its chain before, so the chain's later answer includes it.
  // A payout leaves before it is recorded. So a payout under way never exceeds the requested withdrawals in the books.
  const books = await readBooks(db);
  const isSimulated = (chain: string) => chains.get(chain as Chain)?.simulated ?? false;
  const owed = owedInTokens(books.balances, books.booked, isSimulated);
  const holdings = await holdingsOf(reserves, books, log);
  const before = (await lastReserveCheck(db))?.shortage ?? NO_SHORTAGE;
  const shortage = nextShortage(before, coverageOf(owed, holdings), books.at);
  const check = { at: books.at, owed, holdings, shortage };
  await recordReserveCheck(db, check, GOOD_FOR_INTERVALS * interval + LATE_MS);
}

/** The dollar tokens of the real chains that have an address of the platform. No other tokens are collateral. */
function reservesOf(chains: Chains): Reserve[] {
  return [...chains].flatMap(([chain, verifier]) => {
    const { depositAddress, depositTag, reserveAddresses, tokens, balance } = verifier;
    if (balance === null) return [];
    const isReserve = (address: string) => reserveAddresses.some((own) => isSameAddress(chain, own, address));
    const isTagged = depositAddress !== null && depositTag !== null && !isReserve(depositAddress);
    const given = depositAddress === null || isTagged ? [] : [depositAddress];
    // An address that is named twice counts once.
    const addresses = [...given, ...reserveAddresses].filter(
      (address, place, all) => all.findIndex((other) => isSameAddress(chain, other, address)) === place,
    );
    if (addresses.length === 0 && !isTagged) return [];
    return STABLECOINS.filter((symbol) => tokens?.has(symbol)).map((symbol) => ({
      ...{ chain, symbol, verifier, addresses, isTagged },
    }));
  });
}

/** Queries all chains at the same time. Each balance takes at most the time of one check. */
async function holdingsOf(reserves: Reserve[], { booked }: Books, log: Logger): Promise<Holding[]> {
  const byChain = new Map<Chain, Reserve[]>();
  for (const reserve of reserves)
    byChain.set(reserve.chain, [...(byChain.get(reserve.chain) ?? []), reserve]);
  const held = await Promise.all(
    [...byChain].map(async ([chain, own]) => {
      const balances = await balancesOf(own).catch((error: unknown) => {
        log.warn(
          { err: error, chain },
          'the balances of a chain could not be compared with what LPs are owed',
        );
        return undefined;
      });
      return own.map((reserve, place) => holdingOf(reserve, balances?.[place], booked));
    }),
  );
  return held.flat();
}

function holdingOf(
  { chain, symbol, isTagged }: Reserve,
  balance: string | undefined,
  booked: Books['booked'],
): Holding {
  const deposited = booked.find((entry) => entry.chain === chain && entry.asset === symbol);
  const common = { chain, symbol, booked: decimal(deposited?.amount ?? 0).toFixed() };
  if (balance === undefined) return { ...common, held: null, unread: 'unavailable' };
  return { ...common, held: balance, unread: isTagged ? 'shared_account' : null };
}

/** One request at a time: many nodes limit how many requests they serve each second. */
async function balancesOf(reserves: Reserve[]): Promise<string[]> {
  const balances: string[] = [];
  for (const { symbol, verifier, addresses } of reserves) {
    let total = decimal(0);
    for (const address of addresses) total = total.plus((await verifier.balance?.(address, symbol)) ?? '0');
    balances.push(total.toFixed());
  }
  return balances;
}
