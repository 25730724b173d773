import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../demo/http.ts';
import {
  type Agent,
  claim,
  fiatSent,
  newAgent,
  newLp,
  newOrder,
  pay,
  release,
  statusOf,
  type TestLp,
} from '../support/actors.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';

let corridor: TestCorridor;
let agent: Agent;
beforeAll(async () => {
  corridor = await startCorridor({ env: { STRIKE_COOL_DOWN: '1h' } });
  agent = await newAgent(corridor);
});
afterAll(() => corridor.stop());

const HOUR = 3_600_000;
const forgive = ({ id }: { id: number }, body: object = { reason: 'The bank was closed' }) =>
  corridor.admin('POST', `/api/admin/lps/${id}/forgive`, body);
const dashboard = async (lp: TestLp) =>
  (await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/dashboard`))).lp;

let currencies = 0;
const newCurrency = () => `S${String.fromCharCode(65 + currencies++)}T`;

/** As if it had let an order down so many hours ago. */
async function strike(lp: TestLp, hoursAgo: number): Promise<void> {
  const orderId = await newOrder(agent);
  await corridor.db.query(
    'strike',
    `insert into lp_strike (order_id, seq, lp_id, created_at) values ($1, 2, $2, now() - $3 * interval '1 hour')`,
    [orderId, lp.id, hoursAgo],
  );
}
/** Hours from now until the cool-down is over; null: it is. */
async function hoursLeft(lp: TestLp): Promise<number | null> {
  const { cooling_down_until: until } = await dashboard(lp);
  return until && (Date.parse(until) - Date.now()) / HOUR;
}

// Orders in KES can always be made.
beforeAll(() => newLp(corridor, { rate: 1 }));

test('an LP that lets an order down is struck, and cools down', async () => {
  const strict = await startCorridor({ env: { RELEASE_GRACE: '1ms', STRIKE_COOL_DOWN: '2h' } });
  try {
    const caller = await newAgent(strict);
    const lp = await newLp(strict);
    const [kept, lost, later] = [await newOrder(caller), await newOrder(caller), await newOrder(caller)];
    await expectStatus(200, claim(lp, kept));
    await expectStatus(200, fiatSent(lp, kept));
    await expectStatus(200, claim(lp, lost));
    await expectStatus(200, release(lp, lost));

    const strikes = `select s.lp_id, e.status, e.from_status from lp_strike s join order_event e using (order_id, seq)`;
    expect(await strict.db.query('strikes', strikes, [])).toEqual([
      { lp_id: lp.id, from_status: 'claimed', status: 'matched' },
    ]);
    const { strikes: count, cooling_down_until: until } = await dashboard(lp);
    expect([count, Date.parse(until) > Date.now() + HOUR]).toEqual([1, true]);
    const { body } = await strict.admin('GET', '/api/admin/lps');
    expect(body.lps).toMatchObject([{ id: lp.id, strikes: 1, cooling_down_until: until }]);

    // Neither quoted nor allowed to claim; what it has it keeps.
    expect((await pay(caller)).status).toBe(404);
    const refused = await claim(lp, later);
    expect(refused).toMatchObject({
      status: 409,
      body: { error: `This LP is cooling down after a strike: it may claim again from ${until} on` },
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_600);
    expect(await statusOf(caller, later)).toBe('matched');
    expect((await fiatSent(lp, kept)).status).toBe(200);
  } finally {
    await strict.stop();
  }
});

describe('a cool-down', () => {
  test('doubles with each strike that counts, and is no longer than a day', async () => {
    const lp = await newLp(corridor, { currency: newCurrency() });
    await strike(lp, 0);
    const lengths = [await hoursLeft(lp)];
    for (let n = 2; n <= 6; n++) {
      await strike(lp, 24 * n);
      lengths.push(await hoursLeft(lp));
    }
    for (const [i, wanted] of [1, 2, 4, 8, 16, 24].entries()) {
      // Some of it may have passed already, on a slow machine.
      expect(lengths[i]).toBeLessThanOrEqual(wanted);
      expect(lengths[i]).toBeGreaterThan(wanted * 0.75);
    }
    expect((await dashboard(lp)).strikes).toBe(6);
  });

  test('is over in its time, and strikes older than thirty days count no more', async () => {
    const currency = newCurrency();
    const lp = await newLp(corridor, { currency });
    await strike(lp, 1.01);
    await strike(lp, 24 * 30 + 1);
    expect(await dashboard(lp)).toMatchObject({ strikes: 1, cooling_down_until: null });
    await expectStatus(200, claim(lp, await newOrder(agent, { currency })));
  });

  test('leaves the quotes to the other LPs, also dearer ones', async () => {
    const currency = newCurrency();
    const [cheap, dear] = [
      await newLp(corridor, { currency, rate: 110 }),
      await newLp(corridor, { currency, rate: 100 }),
    ];
    const quoted = async () => (await expectStatus(201, pay(agent, { currency }))).lp.id;
    expect(await quoted()).toBe(cheap.id);
    await strike(cheap, 0.5);
    expect(await quoted()).toBe(dear.id);
  });

  test('keeps an LP that had claimed before from nothing that it held', async () => {
    const currency = newCurrency();
    const lp = await newLp(corridor, { currency });
    const id = await newOrder(agent, { currency });
    const first = await expectStatus(200, claim(lp, id));
    await strike(lp, 0);
    expect(await claim(lp, id)).toMatchObject({ status: 200, body: first });
  });

  test('is ended by an admin, once and on the record', async () => {
    const currency = newCurrency();
    const lp = await newLp(corridor, { currency });
    const id = await newOrder(agent, { currency });
    await strike(lp, 0);
    await strike(lp, 100);
    expect((await claim(lp, id)).status).toBe(409);
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
    await expectStatus(200, claim(lp, id));
    // The next one begins anew.
    await strike(lp, 0);
    expect(await hoursLeft(lp)).toBeLessThanOrEqual(1);
  });

  test('is not ended for an LP that is not there, or without a reason', async () => {
    expect(await forgive({ id: 999_999 })).toMatchObject({ status: 404, body: { error: 'Not found' } });
    const lp = await newLp(corridor, { collateral: 0, asset: false });
    for (const body of [{}, { reason: '' }, { reason: 'x'.repeat(501) }, { reason: 7 }]) {
      const { status, body: refusal } = await forgive(lp, body);
      expect([status, Object.keys(refusal.error.fieldErrors)]).toEqual([400, ['reason']]);
    }
  });
});
