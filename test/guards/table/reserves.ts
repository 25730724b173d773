import type { Guard } from '../guard.ts';

const RULE = 'src/domain/reserves.ts';
const JOB = 'src/operations/upkeep/jobs/check-reserves.ts';
const ON_CHAIN = 'test/system/chains/reserves.test.ts';
const THEFT = { file: ON_CHAIN, name: 'is a shortfall at the second comparison' };

/** Whether the platform's addresses hold what the LPs are owed. The rules detect a theft and raise no false alarm. */
export const RESERVES: readonly Guard[] = [
  {
    name: 'reserves: holdings are compared with what is owed',
    file: RULE,
    text: "if (missing.lte(0)) return { kind: 'covered' };",
    without: "if (missing.lte(0) || holdings.length > 0) return { kind: 'covered' };",
    attack: THEFT,
  },
  {
    name: 'reserves: one comparison proves nothing',
    file: RULE,
    text: 'unexplainedSince !== null && unexplainedSince < at',
    without: 'unexplainedSince !== null && unexplainedSince <= at',
    attack: THEFT,
  },
  {
    name: 'reserves: the books are read before the chains',
    file: JOB,
    text: `  const books = await readBooks(db);
  const isSimulated = (chain: string) => chains.get(chain as Chain)?.simulated ?? false;
  const owed = owedInTokens(books.balances, books.booked, isSimulated);
  const holdings = await holdingsOf(reserves, books, log);`,
    without: `  const holdings = await holdingsOf(reserves, await readBooks(db), log);
  const books = await readBooks(db);
  const isSimulated = (chain: string) => chains.get(chain as Chain)?.simulated ?? false;
  const owed = owedInTokens(books.balances, books.booked, isSimulated);`,
    attack: { file: ON_CHAIN, name: 'is covered when a deposit is credited after the node' },
  },
  {
    name: 'reserves: a node that does not answer is no shortfall',
    file: RULE,
    text: "if (holdings.some(({ unread }) => unread === 'unavailable')) return { kind: 'unknown' };",
    without: '',
    attack: { file: ON_CHAIN, name: 'leaves the result unknown, and is no shortfall' },
  },
  {
    name: 'reserves: requested withdrawals explain no more than themselves',
    file: RULE,
    text: 'mayBePaidOut: missing.lte(owed.withdrawing)',
    without: 'mayBePaidOut: missing.gt(0)',
    attack: { file: ON_CHAIN, name: 'does not explain more than its own amount' },
  },
  {
    name: 'reserves: requested withdrawals explain a gap for an hour',
    file: RULE,
    text: 'at.getTime() - missingSince.getTime() >= PAYOUT_GRACE_MS',
    without: 'at.getTime() - missingSince.getTime() >= Number.POSITIVE_INFINITY * PAYOUT_GRACE_MS',
    attack: { file: ON_CHAIN, name: 'does not explain anything for longer than an hour' },
  },
  {
    name: 'reserves: requested withdrawals are owed',
    file: 'src/operations/upkeep/reserve-check.ts',
    text: "'total', coalesce(sum(available + locked + withdrawing), 0)::text,",
    without: "'total', coalesce(sum(available + locked), 0)::text,",
    attack: { file: ON_CHAIN, name: 'is owed until it is recorded as paid' },
  },
  {
    name: 'reserves: an address counts once',
    file: JOB,
    text: 'isSameAddress(chain, other, address)) === place',
    without: 'isSameAddress(chain, other, address)) <= place',
    attack: { file: ON_CHAIN, name: 'is not made up for by an address that is named twice' },
  },
  {
    name: 'reserves: the account of a tagged address counts for nothing',
    file: JOB,
    text: 'const given = depositAddress === null || isTagged ? [] : [depositAddress];',
    without: 'const given = depositAddress === null ? [] : [depositAddress];',
    attack: { file: 'test/system/chains/reserves-elsewhere.test.ts', name: 'may be an exchange’s' },
  },
];
