import { afterAll, describe, expect, test } from '@jest/globals';
import type { Answer } from '../../dev/http-client.ts';
import { decimal } from '../../src/domain/money.ts';
import { ledgerFindings } from '../../src/operations/diagnosis/checks/ledger.ts';
import { startCorridor } from '../support/corridor.ts';
import type { TestLp } from '../support/parties.ts';
import { upToACentAbove } from '../support/up-to-a-cent-above.ts';

const corridor = await startCorridor();
const agent = await corridor.newAgent();
afterAll(async () => {
  // After all tests the ledger must be consistent.
  expect(await ledgerFindings(corridor.db)).toEqual([]);
  await corridor.stop();
});

const ask = (lp: TestLp, body: object, key?: string): Promise<Answer> =>
  lp.call(
    'POST',
    `/api/lp/${lp.key}/collateral/withdraw`,
    { address: 'TMine', ...body },
    key ? { 'idempotency-key': key } : {},
  );
const asked = async (lp: TestLp, body: object): Promise<number> => {
  const answer = await ask(lp, body);
  expect(answer.status).toBe(201);
  return answer.body.id;
};
const paid = (id: number, body: object = {}) =>
  corridor.admin('POST', `/api/admin/withdrawals/${id}/paid`, body);
const reject = (id: number, reason = 'Wrong address') =>
  corridor.admin('POST', `/api/admin/withdrawals/${id}/reject`, { reason });
const balanceOf = async (lp: TestLp) => (await lp.call('GET', `/api/lp/${lp.key}/balance`)).body;
const statuses = (answers: Answer[]) => answers.map(({ status }) => status).sort();
const transfersOf = (id: number) =>
  corridor.db.query(
    'withdrawal-transfers',
    'select key, debit, credit, amount::float from ledger_transfer where withdrawal_id = $1 order by id',
    [id],
  );

describe('an LP', () => {
  test('withdraws collateral, which is reserved, paid out, and gone', async () => {
    const lp = await corridor.newLp({ collateral: 100 });
    const answer = await ask(lp, { amount: 30.25, asset: 'USDC', chain: 'base', address: '0xMine' });
    const { id } = answer.body;
    const requested = {
      id: expect.any(Number),
      ...{ amount: 30.25, asset: 'usdc', chain: 'base', address: '0xMine', status: 'requested' },
      ...{ tx_hash: null, reason: null, created_at: expect.any(String), decided_at: null },
    };
    expect(answer).toMatchObject({ status: 201, body: requested });
    const reserved = await balanceOf(lp);
    expect(reserved.balance).toEqual({
      available: upToACentAbove(69.75),
      locked: 0,
      withdrawing: 30.25,
      total: upToACentAbove(100),
    });
    expect(reserved.recent_withdrawals).toEqual([requested]);

    const done = await paid(id, { tx_hash: '0xFEED' });
    expect(done).toMatchObject({
      status: 200,
      body: { id, lp_id: lp.id, status: 'paid', tx_hash: '0xFEED' },
    });
    const after = await balanceOf(lp);
    expect(after.balance).toEqual({
      available: upToACentAbove(69.75),
      locked: 0,
      withdrawing: 0,
      total: upToACentAbove(69.75),
    });
    expect(after.recent_withdrawals).toEqual([
      { ...requested, status: 'paid', tx_hash: '0xFEED', decided_at: expect.any(String) },
    ]);
    const account = (name: string) => `lp:${lp.id}:${name}`;
    expect(await transfersOf(id)).toEqual([
      {
        ...{ key: `withdrawal/${id}/request`, amount: 30.25 },
        ...{ debit: account('available'), credit: account('withdrawing') },
      },
      {
        ...{ key: `withdrawal/${id}/payout`, amount: 30.25 },
        ...{ debit: account('withdrawing'), credit: 'outside' },
      },
    ]);
  });

  test('gets a rejected withdrawal back as available collateral, with the reason', async () => {
    const lp = await corridor.newLp({ collateral: 40 });
    const id = await asked(lp, { amount: 40 });
    expect(await reject(id, ' The address is not on this chain ')).toMatchObject({
      status: 200,
      body: { id, status: 'rejected', reason: 'The address is not on this chain', tx_hash: null },
    });
    const { balance, recent_withdrawals } = await balanceOf(lp);
    expect(balance).toEqual({
      available: upToACentAbove(40),
      locked: 0,
      withdrawing: 0,
      total: upToACentAbove(40),
    });
    expect(recent_withdrawals).toMatchObject([{ id, reason: 'The address is not on this chain' }]);
    expect((await transfersOf(id)).map(({ key }) => key)).toEqual([
      `withdrawal/${id}/request`,
      `withdrawal/${id}/return`,
    ]);
  });

  test('cannot withdraw locked or reserved collateral', async () => {
    const lp = await corridor.newLp({ collateral: 50 });
    expect((await lp.claim(await agent.newOrder())).status).toBe(200);
    await asked(lp, { amount: 15 });
    const { available, total } = (await balanceOf(lp)).balance;
    const refused = await ask(lp, { amount: decimal(available).plus(0.000001).toNumber() });
    expect(refused).toMatchObject({ status: 400, body: { error: 'Insufficient collateral' } });
    expect(await asked(lp, { amount: available })).toEqual(expect.any(Number));
    const withdrawing = decimal(available).plus(15).toNumber();
    expect((await balanceOf(lp)).balance).toEqual({ available: 0, locked: 10, withdrawing, total });
    // No collateral is left for a claim.
    expect((await lp.claim(await agent.newOrder())).status).toBe(400);
  });

  test('cannot withdraw more than is available, even with concurrent requests', async () => {
    const lp = await corridor.newLp({ collateral: 50 });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => ask(lp, { amount: 10, address: `T${i}` })),
    );
    expect(statuses(answers)).toEqual([...Array(5).fill(201), ...Array(7).fill(400)]);
    expect((await balanceOf(lp)).balance).toMatchObject({ available: upToACentAbove(0), withdrawing: 50 });
  });

  test('can withdraw while it is not approved, because the money is its own', async () => {
    const lp = await corridor.newLp({ collateral: 10 });
    await corridor.admin('POST', `/api/admin/lps/${lp.id}/suspend`);
    expect((await ask(lp, { amount: 10 })).status).toBe(201);
  });

  test.each([
    [{}, 'amount'],
    [{ amount: 0 }, 'amount'],
    [{ amount: 0.0000001 }, 'amount'],
    [{ amount: 5, address: '' }, 'address'],
    [{ amount: 5, address: undefined }, 'address'],
    [{ amount: 5, asset: 'doge' }, 'asset'],
    [{ amount: 5, chain: 'moon' }, 'chain'],
  ])('gets an error for the field that is wrong in %j', async (body, field) => {
    const answer = await ask(await corridor.newLp(), body);
    expect([answer.status, Object.keys(answer.body.error.fieldErrors)]).toEqual([400, [field]]);
  });
});

describe('a request that is repeated', () => {
  test('with the same Idempotency-Key reserves once, even after the decision', async () => {
    const lp = await corridor.newLp({ collateral: 100 });
    const first = await Promise.all([1, 2, 3, 4].map(() => ask(lp, { amount: 10 }, 'lost')));
    expect(statuses(first)).toEqual([200, 200, 200, 201]);
    const { id } = first[0]?.body ?? {};
    await paid(id);
    expect(await ask(lp, { amount: 10 }, 'lost')).toMatchObject({
      status: 200,
      body: { id, status: 'paid', idempotent_replay: true },
    });
    expect((await balanceOf(lp)).balance).toMatchObject({ available: upToACentAbove(90), withdrawing: 0 });
  });

  test('with the same key and other terms is a conflict', async () => {
    const lp = await corridor.newLp({ collateral: 100 });
    await ask(lp, { amount: 10 }, 'same');
    for (const terms of [{ amount: 11 }, { amount: 10, address: 'TOther' }, { amount: 10, chain: 'eth' }]) {
      expect((await ask(lp, terms, 'same')).status).toBe(409);
    }
    expect((await balanceOf(lp)).balance.available).toEqual(upToACentAbove(90));
  });

  test('with the key of another LP’s request is a separate request', async () => {
    const lps = [await corridor.newLp(), await corridor.newLp()];
    const answers = await Promise.all(lps.map((lp) => ask(lp, { amount: 10 }, 'shared')));
    expect(statuses(answers)).toEqual([201, 201]);
  });

  test('without a key reserves once while it is open, and again once it is decided', async () => {
    const lp = await corridor.newLp({ collateral: 100 });
    const answers = await Promise.all([1, 2, 3].map(() => ask(lp, { amount: 10 })));
    expect(statuses(answers)).toEqual([200, 200, 201]);
    const [id, ...others] = new Set(answers.map(({ body }) => body.id));
    expect(others).toEqual([]);
    expect((await ask(lp, { amount: 10 }, 'another')).status).toBe(201);
    await reject(id);
    expect((await ask(lp, { amount: 10 })).status).toBe(201);
    expect((await balanceOf(lp)).balance).toMatchObject({ available: upToACentAbove(80), withdrawing: 20 });
  });

  test('must have a well-formed key', async () => {
    const answer = await ask(await corridor.newLp(), { amount: 1 }, 'with space');
    expect([answer.status, Object.keys(answer.body.error.fieldErrors)]).toEqual([400, ['Idempotency-Key']]);
  });
});

describe('a decision', () => {
  test('can be repeated with the same response, and a different decision is a conflict that shows the first one', async () => {
    const lp = await corridor.newLp({ collateral: 100 });
    const [one, two] = [await asked(lp, { amount: 10 }), await asked(lp, { amount: 20 })];
    const first = await paid(one, { tx_hash: '0xAB12' });
    expect(await paid(one, { tx_hash: 'ab12' })).toMatchObject({ status: 200, body: first.body });
    const error = 'This withdrawal is already decided: paid with 0xAB12';
    for (const other of [paid(one, { tx_hash: 'ab13' }), paid(one), reject(one)]) {
      expect(await other).toMatchObject({ status: 409, body: { error } });
    }

    const rejected = await reject(two, 'No');
    expect(await reject(two, 'No')).toMatchObject({ status: 200, body: rejected.body });
    for (const other of [reject(two, 'Still no'), paid(two)]) {
      expect(await other).toMatchObject({
        status: 409,
        body: { error: 'This withdrawal is already decided: rejected "No"' },
      });
    }
    expect((await balanceOf(lp)).balance).toEqual({
      available: upToACentAbove(90),
      locked: 0,
      withdrawing: 0,
      total: upToACentAbove(90),
    });
  });

  test('has one winner among concurrent decisions', async () => {
    const lp = await corridor.newLp({ collateral: 100 });
    for (let round = 0; round < 5; round++) {
      const before = (await balanceOf(lp)).balance.total;
      const id = await asked(lp, { amount: 10 });
      const [pays, rejects] = await Promise.all([
        Promise.all([paid(id), paid(id), paid(id)]),
        Promise.all([reject(id), reject(id), reject(id)]),
      ]);
      const won = pays[0]?.status === 200;
      expect(statuses(pays)).toEqual(Array(3).fill(won ? 200 : 409));
      expect(statuses(rejects)).toEqual(Array(3).fill(won ? 409 : 200));
      expect((await balanceOf(lp)).balance).toMatchObject({
        withdrawing: 0,
        total: expect.closeTo(won ? before - 10 : before, 6),
      });
      expect(await transfersOf(id)).toHaveLength(2);
    }
  });

  test('for an unknown withdrawal gets a 404, and without a reason a 400', async () => {
    for (const answer of [await paid(999_999), await reject(999_999)]) expect(answer.status).toBe(404);
    const answer = await corridor.admin('POST', '/api/admin/withdrawals/999999/reject', {});
    expect([answer.status, Object.keys(answer.body.error.fieldErrors)]).toEqual([400, ['reason']]);
    const bad = await paid(999_999, { tx_hash: '!' });
    expect([bad.status, Object.keys(bad.body.error.fieldErrors)]).toEqual([400, ['tx_hash']]);
  });
});

describe('the list of withdrawals', () => {
  const list = (query: string) => corridor.admin('GET', `/api/admin/withdrawals${query}`);
  const idsOf = async (query: string) =>
    (await list(query)).body.withdrawals.map(({ id }: { id: number }) => id);

  test('is newest first, by status, and page by page', async () => {
    const lp = await corridor.newLp({ collateral: 100 });
    const ids = [];
    for (let amount = 1; amount <= 3; amount++) ids.push(await asked(lp, { amount }));
    const [first, second, third] = ids as [number, number, number];
    await paid(second);
    const page = await list('?limit=2');
    expect(page.body).toMatchObject({
      withdrawals: [
        { id: third, lp_id: lp.id, amount: 3, address: 'TMine', status: 'requested' },
        { id: second, lp_id: lp.id, amount: 2, status: 'paid' },
      ],
      next_cursor: String(second),
    });
    expect(await idsOf(`?limit=1&cursor=${second}`)).toEqual([first]);
    expect(await idsOf('?status=requested&limit=2')).toEqual([third, first]);
    expect(await idsOf('?status=paid&limit=1')).toEqual([second]);
  });

  test.each(['status=gone', 'cursor=-1', 'limit=1000'])('refuses ?%s and names the field', async (query) => {
    const { status, body } = await list(`?${query}`);
    expect([status, Object.keys(body.error.fieldErrors)]).toEqual([400, [query.split('=')[0]]]);
  });
});
