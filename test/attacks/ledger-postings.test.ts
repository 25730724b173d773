import { afterAll, describe, expect, test } from '@jest/globals';
import { type Answer, expectStatus } from '../../dev/http-client.ts';
import { bind } from '../../src/db/statement.ts';
import { RECORD_POSTING } from '../../src/market/postings/record-posting.ts';
import { ledgerFindings } from '../../src/operations/diagnosis/checks/ledger.ts';
import { startCorridor } from '../support/corridor.ts';
import { businessTables } from '../support/dump.ts';
import { eventuallyEquals } from '../support/eventually.ts';
import type { TestLp } from '../support/parties.ts';
import { expectSoundWhenStill } from '../support/soundness.ts';
import { upToACentAbove } from '../support/up-to-a-cent-above.ts';
import { countWaiting } from '../support/waiting-statements.ts';

/** Admins and others try to take more money out of the ledger than it holds. */
const corridor = await startCorridor();
const agent = await corridor.newAgent();
const lp = await corridor.newLp({ collateral: 1_000 });
const orderId = await corridor.completedOrder(agent, lp);
afterAll(async () => {
  await expectSoundWhenStill(corridor);
  await corridor.stop();
});

type Path = 'payouts' | 'compensations' | 'adjustments';
let sent = 0;
const nextKey = () => `key-${++sent}`;
const note = { reason: 'The books are wrong' };
const post = (path: Path, body: object, key = nextKey()): Promise<Answer> =>
  corridor.admin('POST', `/api/admin/ledger/${path}`, { ...note, ...body }, { 'idempotency-key': key });
const adjust = (debit: string, credit: string, amount: unknown, key?: string) =>
  post('adjustments', { debit, credit, amount }, key);
const account = (of: TestLp, part = 'available') => `lp:${of.id}:${part}`;
const balances = async (): Promise<Record<string, number>> => {
  const { accounts } = await expectStatus(200, corridor.admin('GET', '/api/admin/ledger/accounts'));
  return Object.fromEntries(
    accounts.map((row: { account: string; balance: number }) => [row.account, row.balance]),
  );
};
const balanceOf = async (of: TestLp) =>
  (await expectStatus(200, of.call('GET', `/api/lp/${of.key}/balance`))).balance;
const statuses = (answers: Answer[]) => answers.map(({ status }) => status).sort();
const codeOf = ({ status, headers }: Answer) => [status, headers.get('x-error-code')];
/** Sets the balance of a platform account. */
async function setBalance(name: 'platform:fees' | 'platform:slashed', usd: number): Promise<void> {
  const present = (await balances())[name] as number;
  if (present > 0) await expectStatus(201, adjust(name, 'outside', present));
  if (usd > 0) await expectStatus(201, adjust('outside', name, usd));
}
/** The tables that a posting writes. Upkeep writes others at any time. */
async function moneyRows() {
  const tables = await businessTables(corridor.db);
  const names = [
    'admin_posting',
    'chain_transaction',
    'ledger_transfer',
    'lp_collateral',
    'platform_account',
  ];
  return names.map((name) => {
    if (tables[name] === undefined) throw new Error(`There is no table ${name}`);
    return tables[name];
  });
}
/** Expects that the call is refused with this status and this code or field, and changes nothing. */
async function expectRefused(call: () => Promise<Answer>, status: number, what: string): Promise<void> {
  const before = await moneyRows();
  const answer = await call();
  expect(
    answer.status === 400 ? [400, Object.keys(answer.body.error.fieldErrors)[0]] : codeOf(answer),
  ).toEqual([status, what]);
  expect(await moneyRows()).toEqual(before);
}

test('agents, LPs and strangers cannot post, or read what was posted', async () => {
  const before = await moneyRows();
  for (const call of [agent.call, lp.call, corridor.anyone]) {
    for (const path of ['payouts', 'compensations', 'adjustments']) {
      const body = { ...note, amount: 0.01, order_id: orderId, debit: 'outside', credit: account(lp) };
      const answer = await call('POST', `/api/admin/ledger/${path}`, body, { 'idempotency-key': 'theirs' });
      expect([path, answer.status]).toEqual([path, 403]);
    }
    for (const path of ['postings', 'accounts'])
      expect((await call('GET', `/api/admin/ledger/${path}`)).status).toBe(403);
  }
  expect(await moneyRows()).toEqual(before);
});

describe('money', () => {
  test('moves from the fees to the outside, and the posting is listed', async () => {
    await setBalance('platform:fees', 5);
    const { outside } = await balances();
    const body = { amount: 1.25, chain: 'trx', tx_hash: '0xFEE5', reference: 'bank 7' };
    const made = await expectStatus(201, post('payouts', body));
    expect(made).toEqual({
      ...{ id: expect.any(Number), kind: 'payout', debit: 'platform:fees', credit: 'outside' },
      ...{ ...body, ...note, order_id: null, created_at: expect.any(String), recorded_by: 'admin:root' },
    });
    expect(await balances()).toMatchObject({ 'platform:fees': 3.75, outside: (outside as number) + 1.25 });
    const path = '/api/admin/ledger/postings?kind=payout&limit=1';
    expect((await expectStatus(200, corridor.admin('GET', path))).postings).toEqual([made]);
    await expectStatus(400, corridor.admin('GET', '/api/admin/ledger/postings?kind=gift'));
  });

  test('that was slashed goes to the LP that was harmed, or to the payer outside', async () => {
    await setBalance('platform:slashed', 3);
    const before = await balanceOf(lp);
    await expectStatus(201, post('compensations', { amount: 1, order_id: orderId, lp_id: lp.id }));
    expect((await balanceOf(lp)).available).toBeCloseTo(before.available + 1, 6);
    const paid = await expectStatus(201, post('compensations', { amount: 2, order_id: orderId }));
    expect(paid).toMatchObject({ debit: 'platform:slashed', credit: 'outside', order_id: orderId });
    expect((await balances())['platform:slashed']).toBe(0);
  });

  test('moves between two LPs', async () => {
    const [one, two] = [await corridor.newLp({ collateral: 10 }), await corridor.newLp({ collateral: 1 })];
    await expectStatus(201, adjust(account(one), account(two), 4));
    expect((await balanceOf(one)).available).toEqual(upToACentAbove(6));
    expect((await balanceOf(two)).available).toEqual(upToACentAbove(5));
  });
});

describe('more than there is', () => {
  test.each([
    ['platform:fees', () => post('payouts', { amount: 10 })],
    ['platform:slashed', () => post('compensations', { amount: 10, order_id: orderId, lp_id: lp.id })],
    ['platform:slashed', () => adjust('platform:slashed', 'platform:fees', 10)],
  ] as const)('never leaves %s, even with eight parallel calls', async (name, take) => {
    await setBalance(name, 35);
    const answers = await Promise.all(Array.from({ length: 8 }, take));
    expect(statuses(answers)).toEqual([...Array(3).fill(201), ...Array(5).fill(409)]);
    const refusals = answers.filter(({ status }) => status === 409).map(codeOf);
    expect(refusals).toEqual(Array(5).fill([409, 'insufficient_balance']));
    expect((await balances())[name]).toBe(5);
    await expectRefused(() => adjust(name, 'outside', 5.000001), 409, 'insufficient_balance');
    await expectStatus(201, adjust(name, 'outside', 5));
  });

  test('never leaves an LP’s collateral, even with eight parallel calls', async () => {
    const poor = await corridor.newLp({ collateral: 35 });
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => adjust(account(poor), 'platform:slashed', 10)),
    );
    expect(statuses(answers)).toEqual([...Array(3).fill(201), ...Array(5).fill(409)]);
    expect((await balanceOf(poor)).available).toEqual(upToACentAbove(5));
  });

  test('does not leave by two routes at the same time', async () => {
    await setBalance('platform:fees', 10);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        i % 2 ? post('payouts', { amount: 7 }) : adjust('platform:fees', account(lp), 7),
      ),
    );
    expect(statuses(answers)).toEqual([201, ...Array(7).fill(409)]);
  });

  test('does not leave twice when the second posting begins before the first has committed', async () => {
    await setBalance('platform:fees', 10);
    const first = await corridor.db.pool.connect();
    try {
      await first.query('begin');
      const terms = {
        ...{ kind: 'payout', debit: 'platform:fees', debitLpId: null, credit: 'outside', creditLpId: null },
        ...{ amount: '7', reason: 'first', recordedBy: 'Ann', orderId: null, idempotencyKey: nextKey() },
        ...{ chain: null, txHash: null, normalisedHash: null, reference: null },
      };
      await first.query(bind(RECORD_POSTING, terms));
      const second = post('payouts', { amount: 7 });
      await eventuallyEquals(() => countWaiting(corridor.db.pool, 'admin_posting'), 1);
      await first.query('commit');
      expect(codeOf(await second)).toEqual([409, 'insufficient_balance']);
    } finally {
      first.release(true);
    }
    expect((await balances())['platform:fees']).toBe(3);
  });

  test('is refused by the database itself, even for a direct insert', async () => {
    await setBalance('platform:slashed', 1);
    const transfer = `insert into ledger_transfer (key, debit, credit, amount) values ('by-hand', 'platform:slashed', 'outside', 2)`;
    await expect(corridor.db.pool.query(transfer)).rejects.toMatchObject({
      constraint: 'platform_account_not_negative',
    });
  });
});

test.each([
  ['zero', 0],
  ['a negative amount', -1],
  ['less than a millionth', 0.0000001],
  ['too many digits', 1.2345678],
  ['too much', 1e15],
  ['a string', '5'],
  ['NaN', Number.NaN],
  ['null', null],
  ['a list', [5]],
])('an amount cannot be %s', async (_, amount) => {
  await expectRefused(() => post('payouts', { amount }), 400, 'amount');
  await expectRefused(
    () => post('compensations', { amount, order_id: orderId, lp_id: lp.id }),
    400,
    'amount',
  );
  await expectRefused(() => adjust('outside', account(lp), amount), 400, 'amount');
});

test.each([
  'Outside',
  ' outside',
  'outside ',
  'platform',
  'platform:fee',
  'PLATFORM:FEES',
  'platform:fees\n',
  'lp:1',
  'lp:01:available',
  'lp:+1:available',
  'lp:1.0:available',
  'lp:1:Available',
  'lp:1:available:x',
  'lp:-1:available',
  'lp:0:available',
  'lp:*:available',
  'lp:１:available',
  'lp:9999999999999999999:available',
  "lp:1:available'; drop table lp; --",
  '',
])('%j is no account', async (name) => {
  await expectRefused(() => adjust(name, 'platform:slashed', 1), 400, 'debit');
  await expectRefused(() => adjust('outside', name, 1), 400, 'credit');
});

test('a transfer to the same account, and an unknown LP or order, are refused', async () => {
  await expectRefused(() => adjust(account(lp), account(lp), 1), 400, 'credit');
  await expectRefused(() => adjust('outside', 'outside', 1), 400, 'credit');
  await expectRefused(() => adjust('outside', 'lp:999999:available', 1), 400, 'credit');
  await expectRefused(() => adjust('lp:999999:available', 'outside', 1), 400, 'debit');
  await setBalance('platform:slashed', 1);
  const harmed = { amount: 1, order_id: orderId, lp_id: 999_999 };
  await expectRefused(() => post('compensations', harmed), 400, 'lp_id');
  await expectRefused(
    () => post('compensations', { ...harmed, lp_id: lp.id, order_id: 999_999 }),
    400,
    'order_id',
  );
  await expectRefused(() => post('compensations', { amount: 1, lp_id: lp.id }), 400, 'order_id');
});

test('a posting has a reason and an Idempotency-Key', async () => {
  await expectRefused(() => post('payouts', { amount: 1, reason: undefined }), 400, 'reason');
  const unkeyed = () => corridor.admin('POST', '/api/admin/ledger/payouts', { ...note, amount: 1 });
  await expectRefused(unkeyed, 400, 'Idempotency-Key');
});

describe('a repeated request', () => {
  test('posts once, in parallel too, and returns the same posting', async () => {
    await setBalance('platform:fees', 100);
    const key = nextKey();
    const answers = await Promise.all(Array.from({ length: 8 }, () => post('payouts', { amount: 30 }, key)));
    expect(statuses(answers)).toEqual([...Array(7).fill(200), 201]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect((await post('payouts', { amount: 30 }, key)).body.idempotent_replay).toBe(true);
    expect((await balances())['platform:fees']).toBe(70);
    // The first call has emptied the account: a repeat still returns it.
    await expectStatus(201, post('payouts', { amount: 70 }, `${key}-all`));
    await expectStatus(200, post('payouts', { amount: 70 }, `${key}-all`));
  });

  test('posts once, for every kind of posting', async () => {
    await setBalance('platform:slashed', 10);
    const compensation = { amount: 1, order_id: orderId, lp_id: lp.id };
    const adjustment = { amount: 1, debit: 'platform:slashed', credit: 'platform:fees' };
    for (const [path, body] of Object.entries({ compensations: compensation, adjustments: adjustment })) {
      const key = nextKey();
      const made = await expectStatus(201, post(path as Path, body, key));
      const again = await expectStatus(200, post(path as Path, body, key));
      expect(again).toEqual({ ...made, idempotent_replay: true });
    }
    expect((await balances())['platform:slashed']).toBe(8);
  });

  test('posts once, also if another admin repeats it, and keeps the name of the first', async () => {
    await setBalance('platform:fees', 10);
    const key = nextKey();
    const made = await expectStatus(201, post('payouts', { amount: 1 }, key));
    const ann = { name: 'Ann, who repeats', role: 'treasurer' };
    const { api_key } = await expectStatus(201, corridor.admin('POST', '/api/admin/admins', ann));
    const again = corridor.as(api_key)(
      'POST',
      '/api/admin/ledger/payouts',
      { ...note, amount: 1 },
      { 'idempotency-key': key },
    );
    expect(await expectStatus(200, again)).toEqual({ ...made, idempotent_replay: true });
    expect((await balances())['platform:fees']).toBe(9);
  });

  test('with other terms is a conflict', async () => {
    await setBalance('platform:fees', 10);
    const key = nextKey();
    await expectStatus(201, post('payouts', { amount: 1 }, key));
    await expectRefused(() => post('payouts', { amount: 2 }, key), 409, 'idempotency_conflict');
    await expectRefused(() => adjust('platform:fees', 'outside', 1, key), 409, 'idempotency_conflict');
  });
});

test('one transaction is recorded once, in any spelling, for postings, withdrawals and deposits', async () => {
  await setBalance('platform:fees', 10);
  const payout = (tx_hash: string, chain?: string) => post('payouts', { amount: 1, chain, tx_hash });
  await expectStatus(201, payout('0xAB01', 'trx'));
  for (const tx_hash of ['0xAB01', 'ab01', '0XaB01'])
    await expectRefused(() => payout(tx_hash, 'trx'), 409, 'transaction_used');
  await expectRefused(() => payout('ab02'), 400, 'chain');

  const withdrawals: number[] = [];
  for (const address of ['TOne', 'TTwo']) {
    const asked = lp.call('POST', `/api/lp/${lp.key}/collateral/withdraw`, { amount: 1, address });
    withdrawals.push((await expectStatus(201, asked)).id);
  }
  const paid = (id: number | undefined, tx_hash: string) =>
    corridor.admin('POST', `/api/admin/withdrawals/${id}/paid`, { tx_hash });
  await expectRefused(() => paid(withdrawals[0], 'AB01'), 409, 'transaction_used');
  await expectStatus(200, paid(withdrawals[0], 'ab03'));
  await expectRefused(() => paid(withdrawals[1], '0xAB03'), 409, 'transaction_used');
  await expectRefused(() => payout('AB03', 'trx'), 409, 'transaction_used');
  const inside = { debit: account(lp), credit: 'platform:slashed', amount: 1, chain: 'trx', tx_hash: 'ab04' };
  await expectRefused(() => post('adjustments', inside), 400, 'tx_hash');
});

describe('what an LP owes to others', () => {
  test('locked collateral cannot be moved below or above what its orders lock', async () => {
    const busy = await corridor.newLp({ collateral: 100 });
    await expectStatus(200, busy.claim(await agent.newOrder()));
    const locked = account(busy, 'locked');
    await expectRefused(() => adjust(locked, account(busy), 0.000001), 409, 'balance_owed');
    await expectRefused(() => adjust(locked, 'outside', 10), 409, 'balance_owed');
    await expectRefused(() => adjust(locked, 'outside', 11), 409, 'insufficient_balance');
    await expectRefused(() => adjust(account(busy), locked, 1), 409, 'balance_owed');
    // The reserve of an undecided withdrawal cannot be moved either.
    const asked = busy.call('POST', `/api/lp/${busy.key}/collateral/withdraw`, {
      amount: 5,
      address: 'TMine',
    });
    await expectStatus(201, asked);
    await expectRefused(() => adjust(account(busy, 'withdrawing'), account(busy), 5), 409, 'balance_owed');
  });

  test('concurrent claims and adjustments leave the locked collateral correct', async () => {
    const busy = await corridor.newLp({ collateral: 1_000 });
    const ids: number[] = [];
    for (let i = 0; i < 5; i++) ids.push(await agent.newOrder());
    const [claims, taken] = await Promise.all([
      Promise.all(ids.map((id) => busy.claim(id))),
      Promise.all(ids.map(() => adjust(account(busy, 'locked'), account(busy), 10))),
    ]);
    expect(statuses(claims)).toEqual(Array(5).fill(200));
    expect(statuses(taken)).toEqual(Array(5).fill(409));
    expect((await balanceOf(busy)).locked).toBe(50);
  });

  test('collateral that a defect left locked can be released, except what an order locks', async () => {
    const stuck = await corridor.newLp({ collateral: 100 });
    await expectStatus(200, stuck.claim(await agent.newOrder()));
    // Simulates a defect in Corridor that locks collateral for no order.
    const guard = (what: 'enable' | 'disable') =>
      corridor.db.pool.query(`alter table ledger_transfer ${what} trigger ledger_transfer_owed_balances`);
    await guard('disable');
    await expectStatus(201, adjust(account(stuck), account(stuck, 'locked'), 7));
    await guard('enable');
    expect((await ledgerFindings(corridor.db)).map(({ what }) => what)).toContain(
      'locked balances are the collateral of open claims',
    );
    await expectRefused(() => adjust(account(stuck, 'locked'), account(stuck), 8), 409, 'balance_owed');
    await expectStatus(201, adjust(account(stuck, 'locked'), account(stuck), 7));
    expect(await balanceOf(stuck)).toMatchObject({ available: upToACentAbove(90), locked: 10 });
  });
});

test('a posting cannot be changed or deleted afterwards', async () => {
  await setBalance('platform:fees', 1);
  for (const sql of [
    'update admin_posting set amount = 1',
    'delete from admin_posting',
    'truncate admin_posting cascade',
  ])
    await expect(corridor.db.pool.query(sql)).rejects.toMatchObject({ code: '23001' });
});
