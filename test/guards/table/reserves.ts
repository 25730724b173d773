import { inFile } from '../guard.ts';

const ON_CHAIN = 'test/system/chains/reserves.test.ts';
const JOB = 'src/operations/upkeep/jobs/check-reserves.ts';

/** Whether the platform's addresses hold what the LPs are owed. The rules detect a theft and raise no false alarm. */
export const RESERVES = [
  ...inFile('src/domain/reserves.ts', ON_CHAIN, [
    ['reserves: holdings are compared with what is owed', "if (missing.lte(0)) return { kind: 'covered' };",
      "if (missing.lte(0) || holdings.length > 0) return { kind: 'covered' };",
      'is a shortfall at the second comparison'],
    ['reserves: one comparison proves nothing', 'unexplainedSince !== null && unexplainedSince < at',
      'unexplainedSince !== null && unexplainedSince <= at', 'is a shortfall at the second comparison'],
    ['reserves: a node that does not answer is no shortfall',
      "if (holdings.some(({ unread }) => unread === 'unavailable')) return { kind: 'unknown' };", '',
      'leaves the result unknown, and is no shortfall'],
    ['reserves: requested withdrawals explain no more than themselves',
      'mayBePaidOut: missing.lte(owed.withdrawing)', 'mayBePaidOut: missing.gt(0)',
      'does not explain more than its own amount'],
    ['reserves: requested withdrawals explain a gap for an hour',
      'at.getTime() - missingSince.getTime() >= PAYOUT_GRACE_MS',
      'at.getTime() - missingSince.getTime() >= Number.POSITIVE_INFINITY * PAYOUT_GRACE_MS',
      'does not explain anything for longer than an hour']]),
  ...inFile(JOB, ON_CHAIN, [
    ['reserves: the books are read before the chains',
      '  const books = await readBooks(db);\n  const isSimulated = (chain: string) => chains.get(chain as Chain)?.simulated ?? false;\n  const owed = owedInTokens(books.balances, books.booked, isSimulated);\n  const holdings = await holdingsOf(reserves, books, log);',
      '  const holdings = await holdingsOf(reserves, await readBooks(db), log);\n  const books = await readBooks(db);\n  const isSimulated = (chain: string) => chains.get(chain as Chain)?.simulated ?? false;\n  const owed = owedInTokens(books.balances, books.booked, isSimulated);',
      'is covered when a deposit is credited after the node'],
    ['reserves: an address counts once', 'isSameAddress(chain, other, address)) === place',
      'isSameAddress(chain, other, address)) <= place',
      'is not made up for by an address that is named twice']]),
  ...inFile('src/operations/upkeep/reserve-check.ts', ON_CHAIN, [
    ['reserves: requested withdrawals are owed',
      "'total', coalesce(sum(available + locked + withdrawing), 0)::text,",
      "'total', coalesce(sum(available + locked), 0)::text,", 'is owed until it is recorded as paid']]),
  ...inFile(JOB, 'test/system/chains/reserves-elsewhere.test.ts', [
    ['reserves: the account of a tagged address counts for nothing',
      'const given = depositAddress === null || isTagged ? [] : [depositAddress];',
      'const given = depositAddress === null ? [] : [depositAddress];', 'may be an exchange’s']]),
];
