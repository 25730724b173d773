import { afterAll, beforeEach, expect, test } from '@jest/globals';
import type { Command, Finding } from '../../src/domain/order-commands.ts';
import type { StepName } from '../../src/domain/order-state.ts';
import { recordReceipt } from '../../src/orders/record-receipt.ts';
import { openBooks } from '../support/books.ts';
import { eventuallyEquals } from '../support/eventually.ts';
import { takeStep } from '../support/take-step.ts';
import { countWaiting } from '../support/waiting-statements.ts';

let id: number;
/** A receipt means that the recipient may have been paid. No other LP may then pay again without an admin's decision. */
const books = await openBooks();
const lp = await books.newLp();
await books.deposit(lp, '1000');
afterAll(() => books.db.close());
beforeEach(async () => {
  const draft = await books.draft(lp, '1295');
  await books.create(draft);
  id = draft.id;
  await books.apply(id, { trigger: 'claim', lpId: lp, validUntil: 'infinity' });
});

const query = async (sql: string, values: unknown[] = []) => (await books.db.pool.query(sql, values)).rows;
let receipts = 0;
const upload = (lpId = lp) =>
  recordReceipt(books.db, {
    ...{ receiptKey: `rcpt_${receipts++}`, receiptUrl: '/r', orderId: id, lpId },
    ...{ type: 'image/png', size: 9 },
  });
const due = () =>
  query(`update orders set timeout_at = date_trunc('milliseconds', now()) where id = $1`, [id]);
const miss = async (step: StepName, found?: Finding) => {
  const { version } = await books.state(id);
  const command: Command = { trigger: 'deadline', version, ...(found && { found }) };
  return takeStep(books.db, step, id, command, 'service');
};
const strikes = async () => (await query('select 1 from lp_strike where order_id = $1', [id])).length;
const row = async () =>
  (
    await query(
      'select status, status_reason, lp_id::int, receipt_url, timeout_at from orders where id = $1',
      [id],
    )
  )[0];

test('a missed deadline with a receipt is a dispute, without a strike and with the LP’s collateral locked', async () => {
  await upload();
  await due();
  expect((await miss('reofferOrder')).result).toBe('receipt');
  expect(await strikes()).toBe(0);
  expect((await miss('openDispute', 'receipt')).result).toBe('applied');
  expect(await row()).toEqual({
    ...{ status: 'disputed', lp_id: lp, receipt_url: '/r', timeout_at: null },
    status_reason: 'The LP uploaded a receipt, but did not report the fiat as sent in time',
  });
  expect(await strikes()).toBe(0);
  const [{ locked }] = await query('select collateral_locked::float as locked from orders where id = $1', [
    id,
  ]);
  expect(locked).toBe(10);
});

test('neither a third failed claim nor the lack of another LP ends an order with a receipt', async () => {
  await upload();
  await query(`update orders set reoffers = 2, expires_at = now() - interval '1 hour' where id = $1`, [id]);
  await due();
  expect((await miss('cancelUnpaid')).result).toBe('receipt');
  expect((await miss('cancelUnpaid', 'not_reofferable')).result).toBe('receipt');
  expect((await miss('openDispute', 'receipt')).result).toBe('applied');
});

test('a receipt does not bring the deadline forward', async () => {
  await upload();
  await query(`update orders set timeout_at = now() + interval '1 hour' where id = $1`, [id]);
  expect((await miss('openDispute', 'receipt')).result).toBe('not_yet');
});

test('without a receipt the deadline opens no dispute, whatever the workflow says', async () => {
  await due();
  expect((await miss('openDispute', 'receipt')).result).toBe('stale');
  expect((await miss('reofferOrder')).result).toBe('applied');
  expect(await strikes()).toBe(1);
});

test('an LP cannot release an order with a receipt', async () => {
  await upload();
  const freeSince = new Date(Date.now() - 60_000).toISOString();
  const release = { trigger: 'release', lpId: lp, freeSince } as const;
  expect((await takeStep(books.db, 'reofferOrder', id, release)).result).toBe('receipt_uploaded');
  const forged = { ...release, found: 'not_reofferable' } as const;
  expect((await takeStep(books.db, 'cancelUnpaid', id, forged)).result).toBe('receipt_uploaded');
  expect(await row()).toMatchObject({ status: 'claimed', lp_id: lp });
});

test('of a concurrent receipt and deadline, one comes first', async () => {
  for (const isUploadFirst of [true, false]) {
    await due();
    const holder = await books.db.pool.connect();
    await holder.query('begin');
    await holder.query('select from orders where id = $1 for update', [id]);
    const works = [upload, () => miss('reofferOrder')];
    const ordered = isUploadFirst ? works : works.reverse();
    const begun: Promise<unknown>[] = [];
    for (const [i, work] of ordered.entries()) {
      begun.push(work());
      await eventuallyEquals(() => countWaiting(books.db.pool), i + 1);
    }
    await holder.query('commit');
    holder.release();
    const results = await Promise.all(begun);
    if (isUploadFirst) {
      expect(results).toMatchObject([true, { result: 'receipt' }]);
      expect(await row()).toMatchObject({ status: 'claimed', receipt_url: '/r' });
      await miss('openDispute', 'receipt');
      // The second round needs another order.
      const draft = await books.draft(lp, '1295');
      await books.create(draft);
      id = draft.id;
      await books.apply(id, { trigger: 'claim', lpId: lp, validUntil: 'infinity' });
    } else {
      expect(results).toMatchObject([{ result: 'applied' }, false]);
      expect(await row()).toMatchObject({ status: 'matched', receipt_url: null });
    }
  }
});

test('a receipt after the order was offered again is refused', async () => {
  await due();
  await miss('reofferOrder');
  expect(await upload()).toBe(false);
  expect(await row()).toMatchObject({ receipt_url: null });
});
