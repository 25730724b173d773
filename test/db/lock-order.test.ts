import { afterAll, expect, test } from '@jest/globals';
import { confirmDeposit } from '../../src/market/collateral/confirm-deposit.ts';
import { publishTerms, setQuoting } from '../../src/market/lps/publish-terms.ts';
import { registerAsset } from '../../src/market/lps/register-asset.ts';
import { eventually } from '../support/eventually.ts';
import { claimBy, KES, openFloatBooks } from '../support/float-books.ts';
import { countWaiting } from '../support/waiting-statements.ts';

/**
 * Publishing terms, confirming a deposit and a step of an order change rows of one LP in parallel: its auto-claim, its
 * collateral and its terms. All lock them in one sequence, so none of them waits for another forever.
 */
const books = await openFloatBooks();
afterAll(() => books.db.close());

const RATE = { rate_usd: '129.5', validForMs: 3_600_000 };

/** Starts work, and returns its outcome once that is known or the work waits as the `n`-th. */
async function untilWaiting<T>(n: number, work: () => Promise<T>): Promise<{ outcome: Promise<T> }> {
  let isDone = false;
  const outcome = work().finally(() => {
    isDone = true;
  });
  outcome.catch(() => undefined);
  await eventually(async () => isDone || (await countWaiting(books.db.pool)) >= n);
  return { outcome };
}

const PUBLISHES: [string, (lpId: number) => Promise<unknown>][] = [
  ['terms that change', (lpId) => books.publish(lpId, { max: '50000' })],
  [
    'the first terms of a corridor',
    (lpId) => publishTerms(books.db, { lpId, currency: 'KES', method: 'bank_transfer' }, { rate: RATE }),
  ],
  ['a currency whose quotes stop', (lpId) => setQuoting(books.db, lpId, KES.currency, false)],
];
const STEPS: [string, (orderId: number, lpId: number) => Promise<() => Promise<{ result: string }>>][] = [
  ['a claim', async (orderId, lpId) => () => books.attempt(orderId, claimBy(lpId))],
  [
    'a release',
    async (orderId, lpId) => {
      await books.apply(orderId, claimBy(lpId));
      return () => books.attempt(orderId, { trigger: 'release', lpId, freeSince: new Date(0).toISOString() });
    },
  ],
];
const PAIRS = PUBLISHES.flatMap(([what, publish]) =>
  STEPS.map(([step, prepare]) => [what, step, publish, prepare] as const),
);

test.each(PAIRS)('%s, a deposit and %s at the same moment all succeed', async (_, __, publish, prepare) => {
  const lpId = await books.newFloatLp('5000');
  const orderId = await books.open(lpId, '1295');
  const step = await prepare(orderId, lpId);
  const depositId = await books.announce(lpId, '10');
  const holder = await books.db.pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select from lp_auto_claim where lp_id = $1 for update', [lpId]);
    // The deposit is first in the queue for the row. So it has the row while the terms wait for it.
    const deposit = await untilWaiting(1, () => confirmDeposit(books.db, depositId, null));
    const terms = await untilWaiting(2, () => publish(lpId));
    const { outcome } = await untilWaiting(3, step);
    await holder.query('commit');
    const all = await Promise.allSettled([deposit.outcome, terms.outcome, outcome]);
    expect(all).toMatchObject([
      { status: 'fulfilled' },
      { status: 'fulfilled' },
      { status: 'fulfilled', value: { result: 'applied' } },
    ]);
  } finally {
    holder.release(true);
  }
});

test('the first terms of a corridor and a new receive address at the same moment both succeed', async () => {
  const lpId = await books.newFloatLp('5000');
  const holder = await books.db.pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select from lp where id = $1 for no key update', [lpId]);
    const terms = await untilWaiting(1, () =>
      publishTerms(books.db, { lpId, currency: 'KES', method: 'bank_transfer' }, { rate: RATE }),
    );
    const asset = { symbol: 'usdt', chain: 'trx', address: 'TAnotherAddress', destinationTag: null } as const;
    const address = await untilWaiting(2, () => registerAsset(books.db, lpId, asset, 0));
    await holder.query('commit');
    const all = await Promise.allSettled([terms.outcome, address.outcome]);
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  } finally {
    holder.release(true);
  }
});
