import { describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import type { TestLp } from '../support/parties.ts';
import { passDeadline } from '../support/pass-deadline.ts';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor();
const agent = await corridor.newAgent();

const strikesOf = async (lp: TestLp): Promise<number> =>
  (await lp.call('GET', `/api/lp/${lp.key}/dashboard`)).body.lp.strikes;
const webhook = (id: number, status: string) =>
  corridor.receiver.next(({ body }) => body.order_id === id && body.status === status);

/** An order that a new LP has claimed and, by default, paid out. The LP has 100 USD of collateral, and the order locks 10. */
async function owned(status: 'claimed' | 'fiat_sent' = 'fiat_sent', payment: object = {}) {
  const lp = await corridor.newLp({ collateral: 100 });
  const id = await agent.newOrder({ ...payment });
  await expectStatus(200, lp.claim(id));
  if (status === 'fiat_sent') await expectStatus(200, lp.fiatSent(id));
  return { lp, id };
}

describe('an open order', () => {
  test('is cancelled by its agent, with an optional reason, once or twice', async () => {
    await corridor.newLp();
    const id = await agent.newOrder({ callback_url: corridor.receiver.url });
    const reason = 'The payer has changed their mind';
    for (let i = 0; i < 2; i++)
      expect(await agent.cancel(id, { reason })).toMatchObject({
        status: 200,
        body: { status: 'cancelled' },
      });
    expect(await corridor.rowOf(id)).toMatchObject({
      status: 'cancelled',
      status_reason: reason,
      timeout_at: null,
    });
    expect(await corridor.lastTransition(id)).toMatchObject({
      seq: 2,
      actor: 'agent',
      cause: 'cancel',
      reason,
    });
    await webhook(id, 'cancelled');
  });

  test('is not cancelled by another agent, nor after a claim', async () => {
    const other = await corridor.newAgent();
    const { id } = await owned('claimed');
    expect((await other.cancel(id)).status).toBe(404);
    expect(await agent.cancel(id)).toMatchObject({
      status: 409,
      body: { error: 'The order is claimed, which does not allow this' },
    });
    expect((await agent.cancel(999_999)).status).toBe(404);
    expect((await agent.cancel(id, { reason: '\n' })).status).toBe(400);
  });
});

describe('an LP that releases an order', () => {
  test('soon after its claim gets no strike, and other LPs may claim the order', async () => {
    const other = await corridor.newLp({ collateral: 100 });
    const { lp, id } = await owned('claimed');
    expect((await other.release(id)).status).toBe(403);
    for (let i = 0; i < 2; i++)
      expect(await lp.release(id)).toMatchObject({ status: 200, body: { status: 'matched' } });
    expect(await corridor.collateralOf(lp)).toEqual({ available: 100, locked: 0 });
    expect(await strikesOf(lp)).toBe(0);
    expect(await corridor.lastTransition(id)).toMatchObject({
      actor: 'lp',
      lp_id: lp.id,
      reason: 'The LP released the order',
    });
    expect((await lp.claim(id)).status).toBe(409);
    expect((await other.claim(id)).status).toBe(200);
  });

  test('is refused when the fiat has moved', async () => {
    const { lp, id } = await owned('fiat_sent');
    expect((await lp.release(id)).status).toBe(409);
    expect((await lp.release(999_999)).status).toBe(404);
    expect((await lp.release(id, { reason: 7 })).status).toBe(400);
  });
});

describe('a dispute', () => {
  test('is opened by the agent before and after the LP sends the fiat, and has no deadline', async () => {
    for (const status of ['claimed', 'fiat_sent'] as const) {
      const { lp, id } = await owned(status, { callback_url: corridor.receiver.url });
      for (let i = 0; i < 2; i++)
        expect(await agent.dispute(id)).toMatchObject({ status: 200, body: { status: 'disputed' } });
      expect(await corridor.rowOf(id)).toMatchObject({
        status: 'disputed',
        timeout_at: null,
        status_reason: 'Nothing has arrived',
      });
      expect(await corridor.collateralOf(lp)).toEqual({ available: 90, locked: 10 });
      await webhook(id, 'disputed');
    }
  });

  test('is opened by the LP once the fiat is sent, and not by another', async () => {
    const { lp, id } = await owned('fiat_sent');
    const body = { reason: 'The recipient has it' };
    const by = (caller: TestLp, order = id) => caller.call('POST', `/api/orders/${order}/dispute`, body);
    expect((await by(await corridor.newLp())).status).toBe(403);
    expect((await by(lp, 999_999)).status).toBe(404);
    expect(await by(lp)).toMatchObject({ status: 200, body: { status: 'disputed' } });
    expect(await corridor.lastTransition(id)).toMatchObject({
      actor: 'lp',
      lp_id: lp.id,
      reason: 'The recipient has it',
    });
    const early = await owned('claimed');
    expect((await by(early.lp, early.id)).status).toBe(409);
  });

  test('is not opened without a reason, for another agent’s order, or in a status without disputes', async () => {
    const id = await agent.newOrder();
    expect((await agent.call('POST', `/api/v1/dispute/${id}`, {})).status).toBe(400);
    expect((await (await corridor.newAgent()).dispute(id)).status).toBe(404);
    expect((await agent.dispute(id)).status).toBe(409);
  });
});

describe('an admin ends a dispute', () => {
  const disputed = async () => {
    const order = await owned('fiat_sent', { callback_url: corridor.receiver.url });
    await expectStatus(200, agent.dispute(order.id));
    return order;
  };
  const resolve = (id: number, body: object, query = '') => corridor.adminDoes(`resolve${query}`, id, body);
  const posting = (purpose: string, debit: string, credit: string, amount_usd: number) => ({
    purpose,
    debit,
    credit,
    amount_usd,
  });

  test('as cancelled: the LP gets its collateral back, except for the slash', async () => {
    const { lp, id } = await disputed();
    const [mine, inUse] = [`lp:${lp.id}:available`, `lp:${lp.id}:locked`];
    const postings = [posting('release', inUse, mine, 6.5), posting('slash', inUse, 'platform:slashed', 3.5)];
    const wanted = { outcome: 'cancelled', slash_usd: 3.5 };
    const before = await corridor.rowOf(id);
    const dry = await resolve(id, wanted, '?dry_run=true');
    expect(dry).toMatchObject({ status: 200, body: { order_id: id, dry_run: true, postings } });
    expect(await corridor.rowOf(id)).toEqual(before);
    expect(await corridor.collateralOf(lp)).toEqual({ available: 90, locked: 10 });
    for (let i = 0; i < 2; i++)
      expect(await resolve(id, wanted)).toMatchObject({
        status: 200,
        body: { status: 'cancelled', dry_run: false, postings },
      });
    expect((await resolve(id, wanted, '?dry_run=true')).body.postings).toEqual(postings);
    expect(await corridor.collateralOf(lp)).toEqual({ available: 96.5, locked: 0 });
    expect(await corridor.rowOf(id)).toMatchObject({
      status: 'cancelled',
      slashed_usd: 3.5,
      collateral_locked: 10,
    });
    expect(await corridor.lastTransition(id)).toMatchObject({ actor: 'admin', cause: 'resolve' });
    await webhook(id, 'cancelled');
    expect((await resolve(id, { outcome: 'completed' })).status).toBe(409);
  });

  test('as completed: the LP owes the fee, and nothing is slashed by default', async () => {
    const { lp, id } = await disputed();
    const { body } = await resolve(id, { outcome: 'completed' });
    const [mine, inUse] = [`lp:${lp.id}:available`, `lp:${lp.id}:locked`];
    expect(body.postings).toEqual([
      posting('release', inUse, mine, 10),
      posting('fee', mine, 'platform:fees', 0.05),
    ]);
    expect(await corridor.collateralOf(lp)).toEqual({ available: 99.95, locked: 0 });
    expect(await corridor.rowOf(id)).toMatchObject({ status: 'completed', slashed_usd: 0 });
    await webhook(id, 'completed');
  });

  test('and slashes no more than the locked collateral covers, including the fee', async () => {
    const { lp, id } = await disputed();
    for (const [outcome, slash_usd] of [
      ['completed', 9.96],
      ['cancelled', 10.01],
    ] as const)
      for (const query of ['', '?dry_run=true'])
        expect((await resolve(id, { outcome, slash_usd }, query)).status).toBe(409);
    expect(await corridor.collateralOf(lp)).toEqual({ available: 90, locked: 10 });
    expect((await resolve(id, { outcome: 'completed', slash_usd: 9.95 })).status).toBe(200);
    expect(await corridor.collateralOf(lp)).toEqual({ available: 90, locked: 0 });
  });

  test('with a valid outcome only, and only a dispute', async () => {
    const { id } = await owned('claimed');
    for (const body of [
      { outcome: 'matched' },
      { outcome: 'cancelled', slash_usd: -1 },
      { slash_usd: 0.001 },
    ])
      expect((await resolve(id, body)).status).toBe(400);
    expect((await resolve(id, { outcome: 'cancelled', reason: '' })).status).toBe(400);
    for (const query of ['', '?dry_run=true'])
      expect((await resolve(id, { outcome: 'cancelled' }, query)).status).toBe(409);
    expect((await resolve(999_999, { outcome: 'cancelled' })).status).toBe(404);
    expect((await resolve(id, { outcome: 'cancelled' }, '?dry_run=perhaps')).status).toBe(400);
    expect((await corridor.admin('GET', '/api/admin/orders/999999/timeline')).status).toBe(404);
    expect((await corridor.admin('GET', '/api/admin/orders/x/timeline')).status).toBe(404);
  });

  test('and the transaction of a cancelled order may pay another order', async () => {
    const lp = await corridor.newLp({ collateral: 100 });
    const [first, second] = [await agent.confirmedOrder(lp), await agent.confirmedOrder(lp)];
    for (let i = 0; i < 3; i++) {
      await agent.settle(first, await corridor.transaction(lp.address, 1 + i));
      await eventuallyEquals(() => agent.statusOf(first), i < 2 ? 'confirmed' : 'disputed');
    }
    const hash = (await corridor.rowOf(first)).user_crypto_tx_hash;
    expect(hash).toEqual(expect.any(String));
    await expectStatus(200, resolve(first, { outcome: 'cancelled' }));
    expect((await agent.settle(second, hash)).status).toBe(200);
  });
});

describe('of two concurrent commands', () => {
  /** The statuses of the responses. */
  const answersTo = (calls: (() => Promise<{ status: number }>)[]) =>
    Promise.all(calls.map(async (call) => (await call()).status));

  test('cancel and claim, one wins', async () => {
    for (let round = 0; round < 8; round++) {
      const lp = await corridor.newLp({ collateral: 100 });
      const id = await agent.newOrder();
      const calls = [() => agent.cancel(id), () => lp.claim(id)];
      if (round % 2) calls.reverse();
      const answers = await answersTo(calls);
      if (round % 2) answers.reverse();
      const cancelled = (await agent.statusOf(id)) === 'cancelled';
      expect(answers).toEqual(cancelled ? [200, 409] : [409, 200]);
      expect((await corridor.collateralOf(lp)).locked).toBe(cancelled ? 0 : 10);
    }
  });

  test('confirm and dispute, one wins', async () => {
    for (let round = 0; round < 8; round++) {
      const { id } = await owned('fiat_sent');
      const calls = [() => agent.confirm(id), () => agent.dispute(id)];
      if (round % 2) calls.reverse();
      const answers = await answersTo(calls);
      if (round % 2) answers.reverse();
      const confirmed = (await agent.statusOf(id)) === 'confirmed';
      expect(answers).toEqual(confirmed ? [200, 409] : [409, 200]);
    }
  });

  test('a claim and the claim deadline, one wins', async () => {
    const [racer, lp] = [
      await corridor.newAgent(),
      await corridor.newLp({ collateral: 1_000, currency: 'UGX', rate: 3_700 }),
    ];
    let claims = 0;
    for (let round = 0; round < 10; round++) {
      const id = await racer.newOrder({ currency: 'UGX', amount: 37_000 });
      const pass = () => passDeadline(corridor, id, 'matched');
      const [first, answered] = [round % 2 && pass(), lp.claim(id)];
      await (first || pass());
      const answer = (await answered).status;
      await eventually(async () => (await racer.statusOf(id)) !== 'matched');
      const { status, lp_id, collateral_locked } = await corridor.rowOf(id);
      expect([answer, status, collateral_locked]).toEqual(
        status === 'claimed' ? [200, 'claimed', 10] : [409, 'cancelled', null],
      );
      expect(lp_id).toBe(lp.id);
      if (answer === 200) claims += 1;
    }
    expect((await corridor.collateralOf(lp)).locked).toBe(10 * claims);
  });
});

test('a disputed order still counts against its agent’s limit', async () => {
  const limited = await corridor.newAgent();
  await expectStatus(
    200,
    corridor.admin('POST', `/api/admin/agent-keys/${limited.keyId}`, { max_exposure_usd: 15 }),
  );
  const lp = await corridor.newLp({ collateral: 100 });
  const id = await limited.newOrder();
  await expectStatus(200, lp.claim(id));
  await expectStatus(200, limited.dispute(id));
  expect((await limited.pay()).status).toBe(400);
  await expectStatus(200, corridor.adminDoes('resolve', id, { outcome: 'cancelled' }));
  expect((await limited.pay()).status).toBe(201);
});
