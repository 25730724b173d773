import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { pausePayments } from '../../src/orders/pauses.ts';
import { startCorridor } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { offersAreMade } from '../support/offers-made.ts';
import type { Agent } from '../support/parties.ts';
import { expectSoundWhenStill } from '../support/soundness.ts';
import { takeStep } from '../support/take-step.ts';
import { unanswered } from '../support/unanswered.ts';
import { countWaiting } from '../support/waiting-statements.ts';

afterAll(async () => {
  await expectSoundWhenStill(corridor);
  await corridor.stop();
});

const PATH = '/api/admin/pauses';
const REASON = 'The bank is closed';
const pause = (scope: object = {}, reason = REASON) =>
  expectStatus(201, corridor.admin('POST', PATH, { ...scope, reason }));
const pauses = async () => (await expectStatus(200, corridor.admin('GET', PATH))).pauses;
const resume = (id: number) => corridor.admin('DELETE', `${PATH}/${id}`);
const resumeAll = async () => {
  for (const { id } of await pauses()) await expectStatus(200, resume(id));
};
afterEach(resumeAll);

const orderCount = async () => {
  const [row] = await corridor.db.query<{ n: number }>(
    'all-orders',
    'select count(*)::int as n from orders',
    [],
  );
  return row?.n;
};
const NGN = { currency: 'NGN', amount: 15_000 };
/** An admin stops new payments and claims. */
const corridor = await startCorridor();
const agent = await corridor.newAgent();
const lp = await corridor.newLp({ collateral: 10_000 });
const nairaLp = await corridor.newLp({ currency: 'NGN', rate: 1_500 });
const PAUSED = {
  status: 503,
  body: { error: expect.stringContaining(REASON) },
};

describe('a pause of everything', () => {
  test('refuses payments and claims with a reason, and changes nothing', async () => {
    const open = await agent.newOrder();
    await pause();
    const before = await orderCount();
    const refused = await agent.pay({}, { 'idempotency-key': 'paused' });
    expect(refused).toMatchObject(PAUSED);
    expect(refused.headers.get('x-error-code')).toBe('paused');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await agent.pay(NGN)).toMatchObject(PAUSED);
    expect(await lp.claim(open)).toMatchObject(PAUSED);
    expect(await orderCount()).toBe(before);
    expect(await agent.statusOf(open)).toBe('matched');
    await resumeAll();
    // The same calls then succeed: neither the idempotency key nor the order is used up.
    expect((await agent.pay({}, { 'idempotency-key': 'paused' })).status).toBe(201);
    expect((await lp.claim(open)).status).toBe(200);
  });

  test('lets claimed orders continue, and replays earlier responses', async () => {
    const headers = { 'idempotency-key': 'before-the-pause' };
    const { order_id: id } = await expectStatus(201, agent.pay({}, headers));
    await expectStatus(200, lp.claim(id));
    await pause();
    expect((await agent.pay({}, headers)).status).toBe(200);
    expect((await lp.claim(id)).status).toBe(200);
    await expectStatus(200, lp.fiatSent(id));
    await expectStatus(200, agent.confirm(id));
    await expectStatus(200, agent.settle(id, await corridor.payment(agent, id)));
    await eventuallyEquals(() => agent.statusOf(id), 'completed');
  });

  test('keeps a rate lock usable', async () => {
    const body = { amount: 1_295, currency: 'KES' };
    const { rate_lock_id } = await expectStatus(201, agent.call('POST', '/api/v1/rates', body));
    await pause();
    expect(await agent.pay({ rate_lock_id })).toMatchObject(PAUSED);
    await resumeAll();
    expect((await agent.pay({ rate_lock_id })).status).toBe(201);
  });

  test('stops auto-claims, which try the open orders again when it ends', async () => {
    const eager = await corridor.newLp({ currency: 'GHS', rate: 12 });
    const id = await agent.newOrder({ currency: 'GHS', amount: 120 });
    await pause({ currency: 'GHS' });
    await expectStatus(200, eager.call('POST', `/api/lp/${eager.key}/auto-claim`, { enabled: true }));
    // A round of upkeep has offered the order meanwhile.
    await offersAreMade(corridor.db, eager.id);
    expect(await agent.statusOf(id)).toBe('matched');
    await resumeAll();
    await eventuallyEquals(() => agent.statusOf(id), 'claimed');
    await expectStatus(200, eager.call('POST', `/api/lp/${eager.key}/auto-claim`, { enabled: false }));
  });
});

describe('the scope of a pause', () => {
  test.each([
    ['a currency, in any spelling', () => ({ currency: 'kes' }), [503, 201, 503, 201]],
    ['an agent', ({ keyId }: Agent) => ({ agent_key_id: keyId }), [503, 503, 201, 201]],
    [
      'an agent in a currency',
      ({ keyId }: Agent) => ({ currency: 'KES', agent_key_id: keyId }),
      [503, 201, 201, 201],
    ],
  ] as const)('is %s', async (_what, scope, expected) => {
    const other = await corridor.newAgent();
    const open = [
      { by: lp, id: await agent.newOrder() },
      { by: nairaLp, id: await agent.newOrder(NGN) },
      { by: lp, id: await other.newOrder() },
      { by: nairaLp, id: await other.newOrder(NGN) },
    ];
    await pause(scope(agent));
    const paid = [await agent.pay(), await agent.pay(NGN), await other.pay(), await other.pay(NGN)];
    expect(paid.map(({ status }) => status)).toEqual(expected);
    const claimed = [];
    for (const { by, id } of open) claimed.push((await by.claim(id)).status);
    expect(claimed).toEqual(expected.map((status) => (status === 201 ? 200 : status)));
  });

  test.each([
    [{ agent_key_id: 999_999 }, 'agent_key_id'],
    [{ agent_key_id: '3' }, 'agent_key_id'],
    [{ currency: 'shillings' }, 'currency'],
    [{ currency: '' }, 'currency'],
    [{ reason: '' }, 'reason'],
  ])('cannot be %j', async (body, field) => {
    const { status, body: answer } = await corridor.admin('POST', PATH, { reason: REASON, ...body });
    expect([status, Object.keys(answer.error.fieldErrors)]).toEqual([400, [field]]);
    expect(await pauses()).toEqual([]);
  });

  test('of a currency that nothing uses is refused, with the one that may be meant', async () => {
    const refusalOf = async (currency: string) => {
      const { status, body } = await corridor.admin('POST', PATH, { currency, reason: REASON });
      expect(status).toBe(400);
      return body.error.fieldErrors.currency[0];
    };
    const unknown = 'has no corridor, no terms of an approved LP and no live order';
    expect(await refusalOf('kse')).toBe(`KSE ${unknown}: did you mean KES?`);
    expect(await refusalOf('NGM')).toBe(`NGM ${unknown}: did you mean NGN?`);
    expect(await refusalOf('JPY')).toMatch(/^JPY .*: the currencies in use are EUR, GHS, KES, /);
    expect(await pauses()).toEqual([]);
    // A currency without a corridor: an LP quotes it, and then only an order has it.
    const foreign = await corridor.newLp({ currency: 'JPY', rate: 150 });
    const id = await agent.newOrder({ currency: 'JPY', amount: 1_500 });
    expect(await pause({ currency: 'JPY' })).toMatchObject({ currency: 'JPY' });
    await resumeAll();
    const moveTerms = 'update lp_term set currency = $2 where lp_id = $1';
    await corridor.db.query('t-move-terms', moveTerms, [foreign.id, 'XXA']);
    expect(await pause({ currency: 'jpy' })).toMatchObject({ currency: 'JPY' });
    await resumeAll();
    await corridor.db.query('t-move-terms', moveTerms, [foreign.id, 'JPY']);
    await expectStatus(200, agent.cancel(id));
    // An LP that is not approved makes no currency known: anybody may register.
    await corridor.db.query('t-suspend', `update lp set status = 'suspended' where id = $1`, [foreign.id]);
    expect(await refusalOf('JPY')).toContain(unknown);
  });

  test('needs a reason', async () => {
    expect((await corridor.admin('POST', PATH, {})).status).toBe(400);
  });
});

describe('pauses', () => {
  test('exist once for each scope, however often and whenever they are requested', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => pause(i % 2 ? { currency: 'KES' } : {}, `for the ${i}. time`)),
    );
    expect(new Set(answers.map(({ id }) => id)).size).toBe(2);
    expect(await pauses()).toHaveLength(2);
    const [earlier] = (await pauses()).filter(({ currency }: { currency: string }) => currency === 'KES');
    expect(await pause({ currency: 'KES' }, 'another one')).toMatchObject({
      ...{ reason: 'another one', replaced_reason: earlier.reason, created_at: earlier.created_at },
    });
    expect(await pause({ currency: 'NGN' })).toMatchObject({ replaced_reason: null });
    await expectStatus(200, resume((await pauses()).at(-1).id));
    expect(await pauses()).toHaveLength(2);
  });

  test('end one by one: a call that another pause covers stays paused', async () => {
    const [all, shillings] = [await pause(), await pause({ currency: 'KES' })];
    await expectStatus(200, resume(all.id));
    expect([(await agent.pay()).status, (await agent.pay(NGN)).status]).toEqual([503, 201]);
    await expectStatus(200, resume(shillings.id));
    expect((await resume(shillings.id)).status).toBe(404);
    expect((await agent.pay()).status).toBe(201);
  });

  test('are shown to all callers in short, and to admins in full', async () => {
    const shown = async () => JSON.stringify((await corridor.anyone('GET', '/readyz')).body.paused);
    await eventuallyEquals(shown, '{"all":false,"currencies":[],"agents":0}');
    const [one] = [
      await pause({ currency: 'KES' }),
      await pause({ agent_key_id: agent.keyId }),
      await pause(),
    ];
    await eventuallyEquals(shown, '{"all":true,"currencies":["KES"],"agents":1}');
    expect((await corridor.anyone('GET', '/readyz')).status).toBe(200);
    const overview = await expectStatus(200, corridor.admin('GET', '/api/admin/overview'));
    expect(overview.pauses).toEqual(await pauses());
    expect({ ...overview.pauses[0], replaced_reason: null }).toEqual(one);
  });
});

describe('when a pause is reported', () => {
  const claimStep = (orderId: number) =>
    takeStep(corridor.db, 'claim', orderId, { trigger: 'claim', lpId: lp.id, validUntil: 'infinity' });
  /** Runs `work` while a claim has begun but cannot commit. */
  async function duringAClaim<T>(
    orderId: number,
    work: (end: () => Promise<void>) => Promise<T>,
  ): Promise<T> {
    const holder = await corridor.db.pool.connect();
    try {
      await holder.query('begin');
      await holder.query('select from lp_collateral where lp_id = $1 for update', [lp.id]);
      const claiming = claimStep(orderId);
      await eventually(() => countWaiting(corridor.db.pool), 10_000);
      const end = async () => {
        await holder.query('rollback');
        expect((await claiming).result).toBe('applied');
      };
      return await work(end);
    } finally {
      holder.release(true);
    }
  }

  test('every claim that began before it has ended', async () => {
    const [first, second] = [await agent.newOrder(), await agent.newOrder()];
    await corridor.stopWorker();
    await duringAClaim(first, async (end) => {
      let reported = false;
      const pausing = pause().then(() => {
        reported = true;
      });
      await eventually(() => countWaiting(corridor.db.pool, 'lock table pause'));
      expect(reported).toBe(false);
      await end();
      await pausing;
    });
    expect((await claimStep(second)).result).toBe('paused');
    expect((await corridor.rowOf(second)).status).toBe('matched');
    await corridor.startWorker();
  });

  test('unless one does not end: then the admin gets a 503, and all other claims are already refused', async () => {
    const [first, second] = [await agent.newOrder(), await agent.newOrder()];
    await corridor.stopWorker();
    await duringAClaim(first, async (end) => {
      const answer = await corridor.admin('POST', PATH, { reason: REASON });
      expect(answer).toMatchObject({ status: 503, body: { error: expect.stringContaining('in force') } });
      expect((await claimStep(second)).result).toBe('paused');
      await end();
    });
    await pause();
    await corridor.startWorker();
  });

  test('no payment of any process can commit', async () => {
    const statuses: number[] = [];
    let stop = false;
    const payer = async () => {
      while (!stop) statuses.push((await agent.pay()).status);
    };
    const payers = [payer(), payer(), payer(), payer()];
    await eventually(async () => statuses.length > 8);
    await pausePayments(corridor.db, { currency: null, agent_key_id: null }, REASON);
    const counted = await orderCount();
    await eventually(async () => statuses.filter((status) => status === 503).length > 8);
    stop = true;
    await Promise.all(payers);
    expect(new Set(statuses)).toEqual(new Set([201, 503]));
    expect(await orderCount()).toBe(counted);
  });

  test('a claim that waits in Temporal is refused as well', async () => {
    const id = await agent.newOrder();
    await corridor.stopWorker();
    expect((await unanswered(corridor, () => lp.claim(id))).status).toBe(503);
    await pause();
    await corridor.startWorker();
    const outcome = `select result from order_outcome where order_id = $1`;
    const [answer] = await eventually(async () => {
      const rows = await corridor.db.query<{ result: string }>('paused-outcome', outcome, [id]);
      return rows.length > 0 && rows;
    });
    expect(answer?.result).toBe('paused');
    expect(await agent.statusOf(id)).toBe('matched');
  });

  test('orders complete at the same time', async () => {
    const [, completed] = await Promise.all([pause({ currency: 'NGN' }), corridor.completedOrder(agent, lp)]);
    expect(await agent.statusOf(completed)).toBe('completed');
  });
});
