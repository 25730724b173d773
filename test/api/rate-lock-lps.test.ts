import { describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { publishTerms } from '../../dev/registration.ts';
import type { TestLp } from '../support/parties.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** What becomes of a rate lock when its LP can no longer claim the order. */
const corridor = await useCorridor({ env: { STRIKE_COOL_DOWN: '15m' } });
const agent = await corridor.newAgent();
const NOBODY = { status: 404, body: { error: expect.stringMatching(/^No LP available for this currency/) } };

let currencies = 0;
const newCurrency = () =>
  `L${String.fromCharCode(65 + Math.floor(currencies / 26), 65 + (currencies++ % 26))}`;
const change = (lp: TestLp, terms: { currency: string } & Record<string, unknown>) =>
  publishTerms({ call: lp.call, own: `/api/lp/${lp.key}` }, terms);

const LOSSES: [string, (lp: TestLp, currency: string) => Promise<unknown>][] = [
  [
    'is suspended',
    (lp) => expectStatus(200, corridor.admin('POST', `/api/admin/lps/${lp.id}/suspend`, { reason: 'test' })),
  ],
  ['has stopped quoting', (lp, currency) => change(lp, { currency, quoting: false })],
  ['takes smaller orders only', (lp, currency) => change(lp, { currency, max: 36_999 })],
  ['has too little float', (lp, currency) => change(lp, { currency, float: 36_999 })],
  [
    'has its collateral in other orders',
    async (lp, currency) => {
      await expectStatus(200, lp.claim(await agent.newOrder({ currency, amount: 7_400 })));
    },
  ],
  [
    'cools down',
    (lp) =>
      corridor.db.pool.query(
        'insert into lp_strike (order_id, seq, lp_id) select min(id), $1::bigint, $1::bigint from orders',
        [lp.id],
      ),
  ],
  [
    'has no address any more',
    (lp) => corridor.db.pool.query('delete from lp_asset where lp_id = $1', [lp.id]),
  ],
];

describe.each(LOSSES)('the LP of a rate lock %s', (_what, lose) => {
  test('so the lock is good for other LPs at its price, and for nobody without one', async () => {
    const currency = newCurrency();
    const lp = await corridor.newLp({ currency, rate: 3_700, collateral: 11 });
    const ask = { currency, amount: 37_000 };
    const { rate_lock_id } = await expectStatus(201, agent.call('POST', '/api/v1/rates', ask));
    await agent.newOrder(ask);
    await lose(lp, currency);
    expect(await agent.pay({ ...ask, rate_lock_id })).toMatchObject(NOBODY);

    // Another LP asks for more; it decides itself whether to claim at the locked price.
    const other = await corridor.newLp({ currency, rate: 3_600, collateral: 11 });
    const paid = await agent.pay({ ...ask, rate_lock_id });
    expect(paid).toMatchObject({
      status: 201,
      body: { rate: `1 USD = 3700 ${currency}`, lp: { id: lp.id, rate: 3_700 } },
    });
    expect((await other.claim(paid.body.order_id)).status).toBe(200);
  });
});

test('a rate lock holds while its LP has let the rate expire: the LP can still claim', async () => {
  const currency = newCurrency();
  const lp = await corridor.newLp({ currency, rate: 3_700 });
  const ask = { currency, amount: 37_000 };
  const { rate_lock_id } = await expectStatus(201, agent.call('POST', '/api/v1/rates', ask));
  await corridor.db.pool.query(
    `update lp_term set valid_until = date_trunc('milliseconds', now()) where lp_id = $1`,
    [lp.id],
  );
  expect((await agent.pay({ ...ask, rate_lock_id })).status).toBe(201);
});
