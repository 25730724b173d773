import { beforeAll, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { startCorridor } from '../support/corridor.ts';
import { eventuallyEquals } from '../support/eventually.ts';
import type { TestLp } from '../support/parties.ts';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor({ env: { STRIKE_COOL_DOWN: '1h' } });
const agent = await corridor.newUnlimitedAgent();

const HOUR = 3_600_000;
const forgive = ({ id }: { id: number }, body: object = { reason: 'The bank was closed' }) =>
  corridor.admin('POST', `/api/admin/lps/${id}/forgive`, body);
const dashboard = async (lp: TestLp) =>
  (await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/dashboard`))).lp;

let currencies = 0;
const newCurrency = () => `S${String.fromCharCode(65 + currencies++)}T`;

/** Inserts a strike, as for a failed claim this many hours ago. */
async function strike(lp: TestLp, hoursAgo: number): Promise<void> {
  const orderId = await agent.newOrder();
  await corridor.db.query(
    'strike',
    `insert into lp_strike (order_id, seq, lp_id, created_at) values ($1, 2, $2, now() - $3 * interval '1 hour')`,
    [orderId, lp.id, hoursAgo],
  );
}
/** Hours until the cool-down ends. Null: it has ended. */
async function hoursLeft(lp: TestLp): Promise<number | null> {
  const { cooling_down_until: until } = await dashboard(lp);
  return until && (Date.parse(until) - Date.now()) / HOUR;
}

// This LP always quotes KES, so that payments in KES always succeed.
beforeAll(() => corridor.newLp({ rate: 1, collateral: 10_000 }));

test('an LP gets a strike and a cool-down for a failed claim', async () => {
  const strict = await startCorridor({ env: { RELEASE_GRACE: '1ms', STRIKE_COOL_DOWN: '2h' } });
  try {
    const caller = await strict.newAgent();
    const lp = await strict.newLp();
    const [kept, lost, later] = [await caller.newOrder(), await caller.newOrder(), await caller.newOrder()];
    await expectStatus(200, lp.claim(kept));
    await expectStatus(200, lp.fiatSent(kept));
    await expectStatus(200, lp.claim(lost));
    await expectStatus(200, lp.release(lost));

    const strikes = `select s.lp_id, e.status, e.from_status from lp_strike s join order_event e using (order_id, seq)`;
    expect(await strict.db.query('strikes', strikes, [])).toEqual([
      { lp_id: lp.id, from_status: 'claimed', status: 'matched' },
    ]);
    const { strikes: count, cooling_down_until: until } = await dashboard(lp);
    expect([count, Date.parse(until) > Date.now() + HOUR]).toEqual([1, true]);
    const { body } = await strict.admin('GET', '/api/admin/lps');
    expect(body.lps).toMatchObject([{ id: lp.id, strikes: 1, cooling_down_until: until }]);

    // The LP is not quoted and cannot claim, but keeps its orders.
    expect((await caller.pay()).status).toBe(404);
    const refused = await lp.claim(later);
    expect(refused).toMatchObject({
      status: 409,
      body: { error: `This LP is cooling down after a strike: it may claim again from ${until} on` },
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_600);
    expect(await caller.statusOf(later)).toBe('matched');
    expect((await lp.fiatSent(kept)).status).toBe(200);
  } finally {
    await strict.stop();
  }
});

describe('a cool-down', () => {
  test('doubles with each strike that counts, up to a day', async () => {
    const lp = await corridor.newLp({ currency: newCurrency() });
    await strike(lp, 0);
    const lengths = [await hoursLeft(lp)];
    for (let n = 2; n <= 6; n++) {
      await strike(lp, 24 * n);
      lengths.push(await hoursLeft(lp));
    }
    for (const [i, wanted] of [1, 2, 4, 8, 16, 24].entries()) {
      // On a slow machine, a part of the cool-down may already have passed.
      expect(lengths[i]).toBeLessThanOrEqual(wanted);
      expect(lengths[i]).toBeGreaterThan(wanted * 0.75);
    }
    expect((await dashboard(lp)).strikes).toBe(6);
  });

  test('ends by itself, and ignores strikes older than thirty days', async () => {
    const currency = newCurrency();
    const lp = await corridor.newLp({ currency });
    await strike(lp, 1.01);
    await strike(lp, 24 * 30 + 1);
    expect(await dashboard(lp)).toMatchObject({ strikes: 1, cooling_down_until: null });
    await expectStatus(200, lp.claim(await agent.newOrder({ currency })));
  });

  test('leaves the quotes to the other LPs, even if they are more expensive', async () => {
    const currency = newCurrency();
    const [cheap, dear] = [
      await corridor.newLp({ currency, rate: 110 }),
      await corridor.newLp({ currency, rate: 100 }),
    ];
    const quoted = async () => (await expectStatus(201, agent.pay({ currency }))).lp.id;
    expect(await quoted()).toBe(cheap.id);
    await strike(cheap, 0.5);
    expect(await quoted()).toBe(dear.id);
  });

  test('does not affect the orders that the LP has already claimed', async () => {
    const currency = newCurrency();
    const lp = await corridor.newLp({ currency });
    const id = await agent.newOrder({ currency });
    const first = await expectStatus(200, lp.claim(id));
    await strike(lp, 0);
    expect(await lp.claim(id)).toMatchObject({ status: 200, body: first });
  });

  test('ends when an admin forgives the strikes, once and on record', async () => {
    const currency = newCurrency();
    const lp = await corridor.newLp({ currency });
    const id = await agent.newOrder({ currency });
    await strike(lp, 0);
    await strike(lp, 100);
    expect((await lp.claim(id)).status).toBe(409);
    const answers = await Promise.all([1, 2, 3, 4].map(() => forgive(lp)));
    for (const answer of [...answers, await forgive(lp)]) {
      expect(answer).toMatchObject({
        status: 200,
        body: { id: lp.id, strikes: 0, cooling_down_until: null },
      });
    }
    const sql = `select f.reason, count(*)::int as strikes from lp_forgiveness f join lp_strike s on s.forgiveness_id = f.id
      where f.lp_id = $1 and s.lp_id = f.lp_id group by f.id`;
    expect(await corridor.db.query('forgiven', sql, [lp.id])).toEqual([
      { reason: 'The bank was closed', strikes: 2 },
    ]);
    const all = 'select count(*)::int as n from lp_forgiveness where lp_id = $1';
    expect(await corridor.db.query('all-forgiven', all, [lp.id])).toEqual([{ n: 1 }]);
    await expectStatus(200, lp.claim(id));
    // The next strike starts from the shortest cool-down.
    await strike(lp, 0);
    expect(await hoursLeft(lp)).toBeLessThanOrEqual(1);
  });

  test('cannot be ended for an unknown LP, or without a reason', async () => {
    expect(await forgive({ id: 999_999 })).toMatchObject({
      ...{ status: 404, body: { error: 'There is no LP 999999: GET /api/admin/lps lists them' } },
    });
    const lp = await corridor.newLp({ collateral: 0, asset: false });
    for (const body of [{}, { reason: '' }, { reason: 'x'.repeat(501) }, { reason: 7 }]) {
      const { status, body: refusal } = await forgive(lp, body);
      expect([status, Object.keys(refusal.error.fieldErrors)]).toEqual([400, ['reason']]);
    }
  });
});

test('a corridor is not available while its only LP cools down', async () => {
  const lp = await corridor.newLp({ currency: 'RWF', rate: 1_300 });
  const isAvailable = async () => {
    const { corridors } = await expectStatus(200, corridor.anyone('GET', '/api/v1/corridors'));
    const rwf = corridors.find(({ currency }: { currency: string }) => currency === 'RWF');
    return rwf.methods[0].available;
  };
  await eventuallyEquals(isAvailable, true);
  await strike(lp, 0);
  await eventuallyEquals(isAvailable, false);
  await expectStatus(200, forgive(lp));
  await eventuallyEquals(isAvailable, true);
});
