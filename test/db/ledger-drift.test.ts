import { describe, expect, test } from '@jest/globals';
import { type Database, openDatabase } from '../../src/db/orm.ts';
import { decideWithdrawal } from '../../src/market/collateral/decide-withdrawal.ts';
import { requestWithdrawal } from '../../src/market/collateral/request-withdrawal.ts';
import { recordPosting } from '../../src/market/postings/record-posting.ts';
import { checkLedger, ledgerFindings } from '../../src/operations/diagnosis/checks/ledger.ts';
import { openBooks } from '../support/books.ts';
import { copyOf } from '../support/database.ts';

const order = { completed: 0, failed: 0, claimed: 0, open: 0 };
const withdrawal = { paid: 0, rejected: 0, requested: 0 };

const books = await openBooks();
const { db } = books;
/**
 * A small correct history. Its connections are closed, so that each test can copy and damage it. LP 1 has completed one order, failed a
 * second one, and claimed a third; a fourth is open. Of its withdrawals, 5 was paid, 6 rejected and 7 is requested.
 */
const template = new URL(books.url).pathname.slice(1);
const lp = await books.newLp();
const deposits = { confirmed: await books.deposit(lp, '100'), pending: await books.announce(lp, '50') };
const newOrder = async () => {
  const draft = await books.draft(lp, '1295');
  await books.create(draft);
  return draft.id;
};
for (const name of ['completed', 'failed', 'claimed', 'open'] as const) order[name] = await newOrder();
const claim = { trigger: 'claim', lpId: lp, validUntil: 'infinity' } as const;
await books.apply(order.completed, claim);
await books.apply(order.completed, { trigger: 'fiatSent', lpId: lp });
await books.apply(order.completed, { trigger: 'confirm' });
await books.apply(order.completed, { trigger: 'settle', txHash: 'ab', txHashGiven: 'AB' });
await books.apply(order.completed, { trigger: 'verified', version: 5, note: null });
await books.apply(order.failed, claim);
await books.apply(order.failed, { trigger: 'deadline', version: 2 });
await books.apply(order.claimed, claim);
const ask = async (amount: string) => {
  const terms = { amount, asset: 'usdt', chain: 'trx', address: 'T' } as const;
  return (await requestWithdrawal(db, lp, terms, null)).withdrawal.id;
};
[withdrawal.paid, withdrawal.rejected, withdrawal.requested] = [
  await ask('5'),
  await ask('6'),
  await ask('7'),
];
await decideWithdrawal(db, withdrawal.paid, { status: 'paid', tx_hash: null, reason: null });
await decideWithdrawal(db, withdrawal.rejected, { status: 'rejected', tx_hash: null, reason: 'no' });
await db.close();

/** Copies the history and runs a statement that bypasses the constraints and the trigger. */
async function damaged<T>(sql: string, look: (db: Database) => Promise<T>): Promise<T> {
  const db = await openDatabase({ url: await copyOf(template), debug: () => undefined });
  try {
    await db.pool.query(
      'alter table ledger_transfer disable trigger user; alter table admin_posting disable trigger user',
    );
    await db.pool.query(sql);
    return await look(db);
  } finally {
    await db.close();
  }
}
/** Each drift on a line, in the order of the checks. */
const driftOf = (sql: string): Promise<string[]> =>
  damaged(sql, async (db) =>
    (await ledgerFindings(db)).map(
      ({ what, where, expected, found }) => `${what} | ${where} | ${expected} | ${found}`,
    ),
  );
const key = (orderId: number, purpose: string) => `key like 'order/${orderId}/%/${purpose}'`;
const posting = (id: number, debit: string, credit: string, amount: number) => `
  insert into admin_posting (id, kind, debit, credit, amount, reason, recorded_by, idempotency_key)
    values (${id}, 'adjustment', '${debit}', '${credit}', ${amount}, 'why', 'Ann', '${id}')`;
const ZERO = 'all accounts add up to zero';
const SUMS = 'balances are the sums of their transfers';
const LOCKED = 'locked balances are the collateral of open claims';
const POSTED = 'what an admin posted has moved its money, once';
const OUTSIDE = 'the outside has sent the deposits and received the payouts';
const RELEASES = 'locked collateral is released or slashed when its claim ends';

test('a correct history has no drift, and the checks read all of it', async () => {
  const checks = await damaged('select 1', checkLedger);
  expect(checks.flatMap(({ findings }) => findings)).toEqual([]);
  expect(Object.fromEntries(checks.map(({ what, checked }) => [what, checked]))).toEqual({
    'accounts have known names': 5,
    'transfers are what their keys say': 12,
    [ZERO]: 1,
    [SUMS]: 3,
    'no balance is below zero': 5,
    [LOCKED]: 1,
    'withdrawing balances are the open withdrawals': 1,
    'a claim locks its collateral': 3,
    [RELEASES]: 3,
    'collateral is locked, released and slashed for claims alone': 5,
    'a completed order has paid its fee, once': 4,
    'a confirmed deposit is credited, once': 2,
    'a withdrawal is reserved, then paid out or returned, once': 3,
    [POSTED]: 0,
    [OUTSIDE]: 1,
  });
});

test('what admins post has no drift, and the checks read it', async () => {
  const checks = await damaged('select 1', async (db) => {
    const note = { reason: 'why', recorded_by: 'Ann', transaction: null, reference: null };
    const adjust = (amount: string, debit: string, credit: string) =>
      recordPosting(
        db,
        { kind: 'adjustment', amount, debit, credit, order_id: null, ...note },
        `${debit} ${credit}`,
      );
    await recordPosting(db, { kind: 'payout', amount: '0.03', ...note }, 'payout');
    await adjust('20', 'outside', `lp:${lp}:available`);
    await adjust('6', `lp:${lp}:available`, 'platform:slashed');
    const compensation = { kind: 'compensation', order_id: order.failed, ...note } as const;
    await recordPosting(db, { ...compensation, amount: '2', lp_id: lp }, 'lp');
    await recordPosting(db, { ...compensation, amount: '4', lp_id: null }, 'payer');
    return checkLedger(db);
  });
  expect(checks.flatMap(({ findings }) => findings)).toEqual([]);
  expect(checks.find(({ what }) => what === POSTED)).toMatchObject({ checked: 5 });
});

test('an empty database has no drift', async () => {
  const books = await openBooks();
  try {
    expect(await ledgerFindings(books.db)).toEqual([]);
  } finally {
    await books.db.close();
  }
});

test('locked collateral may be slashed, whole or in part, instead of released', async () => {
  const slash = `update ledger_transfer set key = replace(key, 'release', 'slash'), credit = 'platform:slashed'`;
  const whole = `${slash} where ${key(order.failed, 'release')}`;
  expect(await driftOf(`${whole}; update lp_collateral set available = available - 10`)).toEqual([]);
  const part = `
    update ledger_transfer set amount = 6 where ${key(order.failed, 'release')};
    insert into ledger_transfer (key, debit, credit, amount, order_id)
      values ('order/${order.failed}/3/slash', 'lp:${lp}:locked', 'platform:slashed', 4, ${order.failed});
    update lp_collateral set available = available - 4`;
  expect(await driftOf(part)).toEqual([]);
});

describe('drift is named:', () => {
  test.each<[name: string, damage: () => string, drift: () => string[]]>([
    [
      'a balance that no transfer explains',
      () => `update lp_collateral set available = available + 1.5`,
      () => [`${ZERO} | all accounts | 0 | 1.5`, `${SUMS} | account lp:${lp}:available | 77.95 | 79.45`],
    ],
    [
      'two balances with exchanged amounts',
      () => 'update lp_collateral set locked = locked - 1, withdrawing = withdrawing + 1',
      () => [
        `${SUMS} | account lp:${lp}:locked | 10 | 9`,
        `${SUMS} | account lp:${lp}:withdrawing | 7 | 8`,
        `${LOCKED} | lp:${lp}:locked | 10 | 9`,
        `withdrawing balances are the open withdrawals | lp:${lp}:withdrawing | 7 | 8`,
      ],
    ],
    [
      'an LP without balances',
      () => 'delete from lp_collateral',
      () => [
        `${ZERO} | all accounts | 0 | -94.95`,
        ...['available', 'locked', 'withdrawing'].map(
          (name, i) => `${SUMS} | account lp:${lp}:${name} | ${[77.95, 10, 7][i]} | no balance`,
        ),
        `${LOCKED} | lp:${lp}:locked | 10 | no balance`,
        `withdrawing balances are the open withdrawals | lp:${lp}:withdrawing | 7 | no balance`,
      ],
    ],
    [
      'a balance below zero',
      () => `
        alter table lp_collateral drop constraint lp_collateral_available_not_negative;
        insert into ledger_transfer (key, debit, credit, amount, withdrawal_id)
          values ('withdrawal/${withdrawal.requested}/payout', 'lp:${lp}:available', 'outside', 80, ${withdrawal.requested});
        update lp_collateral set available = available - 80`,
      () => [
        `transfers are what their keys say | transfer 13 (withdrawal/${withdrawal.requested}/payout) | lp:*:withdrawing to outside for withdrawal ${withdrawal.requested} | lp:*:available to outside for withdrawal ${withdrawal.requested}`,
        `no balance is below zero | account lp:${lp}:available | at least 0 | -2.05`,
        `a withdrawal is reserved, then paid out or returned, once | withdrawal ${withdrawal.requested} | request of 7 by LP ${lp} | payout of 80 by LP ${lp}, request of 7 by LP ${lp}`,
        `${OUTSIDE} | account outside | -95 | -15`,
      ],
    ],
    [
      'more paid out than was ever paid in',
      () => `
        insert into ledger_transfer (key, debit, credit, amount, deposit_id)
          values ('deposit/${deposits.pending}', 'platform:slashed', 'outside', 200, ${deposits.pending})`,
      () => [
        `transfers are what their keys say | transfer 13 (deposit/${deposits.pending}) | outside to lp:*:available for deposit ${deposits.pending} | platform:slashed to outside for deposit ${deposits.pending}`,
        'no balance is below zero | account outside | at least 0 | -105',
        'no balance is below zero | account platform:slashed | at least 0 | -200',
        `${OUTSIDE} | account outside | -95 | 105`,
      ],
    ],
    [
      'a transfer of another amount',
      () => `update ledger_transfer set amount = 0.06 where ${key(order.completed, 'fee')}`,
      () => [
        `${ZERO} | all accounts | 0 | 0.01`,
        `${SUMS} | account lp:${lp}:available | 77.94 | 77.95`,
        `a completed order has paid its fee, once | order ${order.completed} | 0.05 from LP ${lp} | 0.06 from LP ${lp}`,
      ],
    ],
    [
      'money in an unknown account',
      () => `
        update ledger_transfer set credit = 'platform:fee' where ${key(order.completed, 'fee')};
        update ledger_transfer set debit = 'lp:99:available' where key = 'order/${order.claimed}/2/lock'`,
      () => [
        'accounts have known names | account lp:99:available | a known account | unknown',
        'accounts have known names | account platform:fee | a known account | unknown',
        `transfers are what their keys say | transfer 4 (order/${order.completed}/6/fee) | lp:*:available to platform:fees for order ${order.completed} | lp:*:available to platform:fee for order ${order.completed}`,
        `transfers are what their keys say | transfer 7 (order/${order.claimed}/2/lock) | lp:*:available to lp:*:locked for order ${order.claimed} | lp:*:available to lp:${lp}:locked for order ${order.claimed}`,
        `${ZERO} | all accounts | 0 | -0.05`,
        `${SUMS} | account lp:${lp}:available | 87.95 | 77.95`,
        `${SUMS} | account lp:99:available | -10 | no balance`,
        'no balance is below zero | account lp:99:available | at least 0 | -10',
        `a claim locks its collateral | order ${order.claimed} claimed with version 2 | 10 locked | 0 locked`,
        `collateral is locked, released and slashed for claims alone | transfer 7 (order/${order.claimed}/2/lock) | a claim of the LP that begins or ends | none`,
      ],
    ],
    [
      'a transfer with an unknown purpose',
      () => `
        insert into ledger_transfer (key, debit, credit, amount) values ('bonus/1', 'outside', 'lp:${lp}:available', 3);
        update lp_collateral set available = available + 3`,
      () => [
        'transfers are what their keys say | transfer 13 (bonus/1) | a key of a known kind | outside to lp:*:available for ',
        `${OUTSIDE} | account outside | -95 | -98`,
      ],
    ],
    [
      'a fee taken twice',
      () => `
        insert into ledger_transfer (key, debit, credit, amount, order_id)
          values ('order/${order.completed}/7/fee', 'lp:${lp}:available', 'platform:fees', 0.05, ${order.completed});
        update lp_collateral set available = available - 0.05`,
      () => [
        `a completed order has paid its fee, once | order ${order.completed} | 0.05 from LP ${lp} | 0.05 from LP ${lp} and 0.05 from LP ${lp}`,
      ],
    ],
    [
      'a fee never taken',
      () => `
        delete from ledger_transfer where ${key(order.completed, 'fee')};
        update lp_collateral set available = available + 0.05`,
      () => [
        `a completed order has paid its fee, once | order ${order.completed} | 0.05 from LP ${lp} | no fee`,
      ],
    ],
    [
      'a fee of an order that is not completed',
      () => `
        insert into ledger_transfer (key, debit, credit, amount, order_id)
          values ('order/${order.claimed}/3/fee', 'lp:${lp}:available', 'platform:fees', 1, ${order.claimed});
        update lp_collateral set available = available - 1`,
      () => [`a completed order has paid its fee, once | order ${order.claimed} | no fee | 1 from LP ${lp}`],
    ],
    [
      'a claim that ended without a transfer',
      () => `update orders set status = 'cancelled' where id = ${order.claimed}`,
      () => [
        `${LOCKED} | lp:${lp}:locked | 0 | 10`,
        `${RELEASES} | order ${order.claimed} claimed with version 2 | 10 freed | 0 freed`,
      ],
    ],
    [
      'collateral in the row that differs from the locked amount',
      () => `update orders set collateral_locked = 12 where id = ${order.claimed}`,
      () => [
        `${LOCKED} | lp:${lp}:locked | 12 | 10`,
        `a claim locks its collateral | order ${order.claimed} claimed with version 2 | 12 locked | 10 locked`,
      ],
    ],
    [
      'a claim that locked nothing',
      () => `
        delete from ledger_transfer where ${key(order.failed, 'lock')} or ${key(order.failed, 'release')}`,
      () => [
        `a claim locks its collateral | order ${order.failed} claimed with version 2 | collateral locked | 0 locked`,
      ],
    ],
    [
      'collateral that is never released',
      () => `
        delete from ledger_transfer where ${key(order.failed, 'release')};
        update lp_collateral set available = available - 10, locked = locked + 10`,
      () => [
        `${LOCKED} | lp:${lp}:locked | 10 | 20`,
        `${RELEASES} | order ${order.failed} claimed with version 2 | 10 freed with version 3 | 0 freed with version 3`,
      ],
    ],
    [
      'collateral released in part',
      () => `
        update ledger_transfer set amount = 9 where ${key(order.completed, 'release')};
        update lp_collateral set available = available - 1, locked = locked + 1`,
      () => [
        `${LOCKED} | lp:${lp}:locked | 10 | 11`,
        `${RELEASES} | order ${order.completed} claimed with version 2 | 10 freed with version 6 | 9 freed with version 6`,
      ],
    ],
    [
      'collateral released while the claim is open',
      () => `
        insert into ledger_transfer (key, debit, credit, amount, order_id)
          values ('order/${order.claimed}/3/release', 'lp:${lp}:locked', 'lp:${lp}:available', 10, ${order.claimed});
        update lp_collateral set available = available + 10, locked = locked - 10`,
      () => [
        `${LOCKED} | lp:${lp}:locked | 10 | 0`,
        `collateral is locked, released and slashed for claims alone | transfer 13 (order/${order.claimed}/3/release) | a claim of the LP that begins or ends | none`,
      ],
    ],
    [
      'collateral locked for an order that nobody claimed',
      () => `
        insert into ledger_transfer (key, debit, credit, amount, order_id)
          values ('order/${order.open}/2/lock', 'lp:${lp}:available', 'lp:${lp}:locked', 10, ${order.open});
        update lp_collateral set available = available - 10, locked = locked + 10`,
      () => [
        `${LOCKED} | lp:${lp}:locked | 10 | 20`,
        `collateral is locked, released and slashed for claims alone | transfer 13 (order/${order.open}/2/lock) | a claim of the LP that begins or ends | none`,
      ],
    ],
    [
      'a deposit confirmed without its credit',
      () => `update collateral_deposit set status = 'confirmed' where id = ${deposits.pending}`,
      () => [
        `a confirmed deposit is credited, once | deposit ${deposits.pending} | 50 to LP ${lp} | not credited`,
        `${OUTSIDE} | account outside | -145 | -95`,
      ],
    ],
    [
      'a withdrawal paid without its transfer',
      () =>
        `update collateral_withdrawal set status = 'paid', decided_at = now() where id = ${withdrawal.requested}`,
      () => [
        `withdrawing balances are the open withdrawals | lp:${lp}:withdrawing | 0 | 7`,
        `a withdrawal is reserved, then paid out or returned, once | withdrawal ${withdrawal.requested} | payout of 7 by LP ${lp}, request of 7 by LP ${lp} | request of 7 by LP ${lp}`,
        `${OUTSIDE} | account outside | -88 | -95`,
      ],
    ],
    [
      'a withdrawal paid and returned',
      () => `
        insert into ledger_transfer (key, debit, credit, amount, withdrawal_id)
          values ('withdrawal/${withdrawal.paid}/return', 'lp:${lp}:withdrawing', 'lp:${lp}:available', 5, ${withdrawal.paid});
        update lp_collateral set available = available + 5, withdrawing = withdrawing - 5`,
      () => [
        `withdrawing balances are the open withdrawals | lp:${lp}:withdrawing | 7 | 2`,
        `a withdrawal is reserved, then paid out or returned, once | withdrawal ${withdrawal.paid} | payout of 5 by LP ${lp}, request of 5 by LP ${lp} | payout of 5 by LP ${lp}, request of 5 by LP ${lp}, return of 5 by LP ${lp}`,
      ],
    ],
    [
      'a posting without its transfer',
      () => posting(1, 'platform:fees', 'outside', 0.02),
      () => [
        `${POSTED} | posting 1 | 0.02 from platform:fees to outside | no transfer`,
        `${OUTSIDE} | account outside | -94.98 | -95`,
      ],
    ],
    [
      'a posting that moved its money twice, to another account and in another amount',
      () => `
        ${posting(1, 'platform:fees', 'outside', 0.02)};
        insert into ledger_transfer (key, debit, credit, amount, posting_id)
          values ('posting/1', 'platform:fees', 'outside', 0.02, 1), ('posting/1/1', 'platform:fees', 'platform:slashed', 0.03, 1)`,
      () => [
        'transfers are what their keys say | transfer 14 (posting/1/1) | platform:fees to outside for posting 1 | platform:fees to platform:slashed for posting 1',
        `${POSTED} | posting 1 | 0.02 from platform:fees to outside | 0.02 from platform:fees to outside and 0.03 from platform:fees to platform:slashed`,
      ],
    ],
    [
      'a transfer for an unknown posting',
      () => `
        insert into ledger_transfer (key, debit, credit, amount) values ('posting/9', 'platform:fees', 'platform:slashed', 0.01)`,
      () => [
        'transfers are what their keys say | transfer 13 (posting/9) | a key of a known kind | platform:fees to platform:slashed for ',
      ],
    ],
  ])('%s', async (_, damage, drift) => {
    expect(await driftOf(damage())).toEqual(drift());
  });
});
