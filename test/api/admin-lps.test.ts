import { describe, expect, test } from '@jest/globals';
import type { newLp } from '../support/actors.ts';
import { eventuallyEquals } from '../support/eventually.ts';
import type { TestLp } from '../support/parties.ts';
import { upToACentAbove } from '../support/up-to-a-cent-above.ts';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor({ env: { LP_AUTO_APPROVE: 'false' } });
const agent = await corridor.newAgent();

const list = (query = '') => corridor.admin('GET', `/api/admin/lps${query}`);
const approve = ({ id }: TestLp) => corridor.admin('POST', `/api/admin/lps/${id}/approve`);
const suspend = ({ id }: TestLp) => corridor.admin('POST', `/api/admin/lps/${id}/suspend`);
const setTier = ({ id }: TestLp, tier: unknown) =>
  corridor.admin('POST', `/api/admin/lps/${id}/tier`, { tier });
const approvedLp = async (options: Parameters<typeof newLp>[1] = {}) => {
  const lp = await corridor.newLp(options);
  await approve(lp);
  return lp;
};

/** The fields of an LP's terms besides their corridor and rate. */
const TERMS = {
  ...{ offset_bps: null, min: 0, max: null, float: null, float_reserved: 0, float_low: null },
  ...{ quoting: true, valid_until: expect.any(String), updated_at: expect.any(String) },
};

describe('the list of LPs', () => {
  test('shows their terms and collateral, but neither key nor phone', async () => {
    const lp = await corridor.newLp({ rate: 131.25, spreadBps: 30, collateral: 250.5 });
    await lp.call('POST', `/api/lp/${lp.key}/rates`, { currency: 'AED', rate_usd: 3.67 });
    const { status, body } = await list('?limit=1');
    expect(status).toBe(200);
    expect(body.lps).toEqual([
      {
        id: lp.id,
        display_name: expect.any(String),
        status: 'pending',
        tier: 0,
        spread_bps: 30,
        orders_completed: 0,
        completion_rate: null,
        median_fiat_seconds: null,
        unclaimed_quotes: 0,
        strikes: 0,
        cooling_down_until: null,
        xrpl_address: 'rTestLiquidityProvider11111111',
        user_id: expect.any(Number),
        created_at: expect.any(String),
        rates: [
          { currency: 'AED', method: '*', rate_usd: 3.67, ...TERMS },
          { currency: 'KES', method: 'mobile_money', rate_usd: 131.25, ...TERMS },
        ],
        collateral_available: upToACentAbove(250.5),
        collateral_locked: 0,
      },
    ]);
    expect(JSON.stringify(body)).not.toMatch(/lp_[0-9a-f]{48}|254711/);
  });

  test('is read page by page, newest first, by status', async () => {
    const lps = await Promise.all([1, 2, 3].map(() => corridor.newLp({ collateral: 0, asset: false })));
    const ids = lps.map(({ id }) => id).sort((a, b) => b - a);
    for (const lp of lps) await suspend(lp);
    const first = (await list('?status=suspended&limit=2')).body;
    await corridor.newLp({ collateral: 0, asset: false }).then(suspend);
    const second = (await list(`?status=suspended&limit=2&cursor=${first.next_cursor}`)).body;
    const seen = [...first.lps, ...second.lps].map(({ id }: { id: number }) => id);
    expect(seen.slice(0, 3)).toEqual(ids);
    expect((await list('?status=suspended&limit=100')).body.next_cursor).toBeNull();
  });

  test.each(['status=asleep', 'limit=0', 'limit=101', 'cursor=x'])('refuses ?%s', async (query) => {
    const answer = await list(`?${query}`);
    expect(answer).toMatchObject({ status: 400, body: { message: 'Validation failed' } });
  });
});

describe('an LP', () => {
  test('is quoted and may claim as soon as it is approved', async () => {
    const lp = await corridor.newLp({ currency: 'TZS', rate: 2_500 });
    expect((await agent.pay({ currency: 'TZS' })).status).toBe(404);
    expect(await approve(lp)).toMatchObject({ status: 200, body: { id: lp.id, status: 'approved' } });
    expect((await approve(lp)).status).toBe(200);
    const id = await agent.newOrder({ currency: 'TZS' });
    expect((await lp.claim(id)).status).toBe(200);
  });

  test('that is suspended is not quoted and cannot claim, until it is approved again', async () => {
    const lp = await approvedLp({ currency: 'UGX', rate: 3_700 });
    const id = await agent.newOrder({ currency: 'UGX' });
    expect(await suspend(lp)).toMatchObject({ status: 200, body: { id: lp.id, status: 'suspended' } });
    expect((await agent.pay({ currency: 'UGX' })).status).toBe(404);
    const refused = await lp.claim(id);
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([403, 'lp_not_approved']);
    expect(refused.body.error).toMatch(/^This LP is suspended: /);
    expect(await agent.statusOf(id)).toBe('matched');
    await approve(lp);
    expect((await lp.claim(id)).status).toBe(200);
  });

  test('that is suspended finishes the orders that it owns', async () => {
    const lp = await approvedLp({ collateral: 100 });
    const id = await agent.newOrder();
    const first = await lp.claim(id);
    await suspend(lp);
    // It repeats its claim, as if the response had been lost.
    expect(await lp.claim(id)).toMatchObject({ status: 200, body: first.body });
    expect((await lp.fiatSent(id)).status).toBe(200);
    expect((await agent.confirm(id)).status).toBe(200);
    await agent.settle(id, await corridor.payment(agent, id));
    await eventuallyEquals(() => agent.statusOf(id), 'completed');
    expect(await corridor.collateralOf(lp)).toEqual({ available: 99.95, locked: 0 });
  });

  test('locks less collateral in a higher tier, for orders claimed from then on', async () => {
    const lp = await approvedLp({ collateral: 100 });
    const [before, after] = [await agent.newOrder(), await agent.newOrder()];
    expect((await lp.claim(before)).body.collateral_locked).toBe(10);
    expect(await setTier(lp, 4)).toMatchObject({
      status: 200,
      body: { id: lp.id, tier: 4, collateral_available: upToACentAbove(90), collateral_locked: 10 },
    });
    expect((await lp.claim(after)).body.collateral_locked).toBe(1.5);
    expect((await setTier(lp, 0)).body).toMatchObject({ tier: 0, collateral_locked: 11.5 });
  });

  test.each([-1, 5, 1.5, '1', null, undefined])('has no tier %p', async (tier) => {
    const lp = await corridor.newLp({ collateral: 0, asset: false });
    const { status, body } = await setTier(lp, tier);
    expect([status, Object.keys(body.error.fieldErrors)]).toEqual([400, ['tier']]);
  });

  test('that does not exist gets a 404', async () => {
    const nobody = { id: 999_999 } as TestLp;
    for (const answer of [await approve(nobody), await suspend(nobody), await setTier(nobody, 1)]) {
      expect(answer).toMatchObject({
        status: 404,
        body: { error: 'There is no LP 999999: GET /api/admin/lps lists them' },
      });
    }
  });
});
