import { describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { publishTerms } from '../../dev/registration.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { connectFeed } from '../support/feed-client.ts';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor();

const agent = await corridor.newAgent();
const lp = await corridor.newLp();
for (const method of ['bank_transfer', 'paybill'])
  await publishTerms(
    { call: lp.call, own: `/api/lp/${lp.key}` },
    { currency: 'KES', method, rate_usd: 129.5 },
  );

const PHONE = '+254700424242';
const MASKED = '+2•••••••••42';
const BANK = {
  method: 'bank_transfer',
  institution: '68',
  recipient: undefined,
  recipient_details: { account_number: '0770123456789' },
};

interface Shown {
  currency: string;
  default_method: string;
  methods: { method: string; min: number; available: boolean; institutions: { code: string }[] }[];
}

const corridors = async (): Promise<Shown[]> =>
  (await expectStatus(200, corridor.anyone('GET', '/api/v1/corridors'))).corridors;

/** Whether an LP could take an order by the currency's default method. No LP of this file serves the other methods of these currencies. */
const isAvailable = async (currency: string): Promise<boolean> => {
  const shown = (await corridors()).find((one) => one.currency === currency);
  if (!shown) throw new Error(`${currency} has no corridor`);
  const served = shown.methods.filter(({ available }) => available).map(({ method }) => method);
  expect([[], [shown.default_method]]).toContainEqual(served);
  return served.length > 0;
};

const fault = async (changes: object): Promise<Record<string, string[]>> => {
  const { status, body } = await agent.pay({ ...changes });
  expect([status, body.message]).toEqual([400, 'Validation failed']);
  return body.error.fieldErrors;
};

describe('GET /api/v1/corridors', () => {
  test('lists methods, institutions, recipients and limits without a key', async () => {
    const kes = (await corridors()).find(({ currency }) => currency === 'KES');
    expect(kes).toMatchObject({ name: 'Kenyan shilling', countries: ['KE'], default_method: 'mobile_money' });
    expect(kes?.methods.map(({ method }) => method)).toEqual([
      'mobile_money',
      'bank_transfer',
      'till',
      'paybill',
    ]);
    expect(kes?.methods[0]).toMatchObject({
      ...{ min: 1, max: 250_000, institution_required: false, recipient_field: 'phone', available: true },
      recipient: { type: 'object', required: ['phone'], additionalProperties: false },
    });
    expect(kes?.methods[0]?.institutions[0]).toEqual({ code: 'mpesa', name: 'M-PESA' });
  });

  test('shows whether an LP could take an order now', async () => {
    expect(await isAvailable('GHS')).toBe(false);
    const candidate = await corridor.newLp({ currency: 'GHS', rate: 12, collateral: 0.05, asset: false });
    expect(await isAvailable('GHS')).toBe(false);
    const asset = { symbol: 'usdt', chain: 'trx', address: candidate.address };
    await expectStatus(201, candidate.call('POST', `/api/lp/${candidate.key}/assets`, asset));
    // An order of one cedi takes nine cents of collateral.
    expect(await isAvailable('GHS')).toBe(false);
    await corridor.newLp({ currency: 'GHS', rate: 12, collateral: 1 });
    await eventuallyEquals(() => isAvailable('GHS'), true);

    const paused = await expectStatus(
      201,
      corridor.admin('POST', '/api/admin/pauses', { currency: 'GHS', reason: 'a test' }),
    );
    await eventuallyEquals(() => isAvailable('GHS'), false);
    await expectStatus(200, corridor.admin('DELETE', `/api/admin/pauses/${paused.id}`));
    await eventuallyEquals(() => isAvailable('GHS'), true);
  });

  test('has no LP that is suspended', async () => {
    const only = await corridor.newLp({ currency: 'ZMW', rate: 26 });
    await eventuallyEquals(() => isAvailable('ZMW'), true);
    await expectStatus(
      200,
      corridor.admin('POST', `/api/admin/lps/${only.id}/suspend`, { reason: 'a test' }),
    );
    await eventuallyEquals(() => isAvailable('ZMW'), false);
  });
});

describe('a payment', () => {
  test('by bank has its institution and fields in the response, and masked in a replay', async () => {
    const headers = { 'idempotency-key': 'bank-1' };
    const first = await agent.pay(BANK, headers);
    expect(first).toMatchObject({
      status: 201,
      body: {
        fiat_delivery: {
          recipient: '0770123456789',
          method: 'bank_transfer',
          institution: '68',
          recipient_details: { account_number: '0770123456789' },
        },
      },
    });
    const again = await agent.pay(BANK, headers);
    expect(again.status).toBe(200);
    expect(JSON.stringify(again.body)).not.toContain('0770123456789');
    expect(again.body.fiat_delivery).toMatchObject({
      recipient: '07•••••••••89',
      recipient_details: { account_number: '07•••••••••89' },
    });
  });

  test('without fields of its own has the response of the contract', async () => {
    const { body } = await agent.pay({ recipient: PHONE });
    expect(body.fiat_delivery).toEqual({
      ...{ amount: 1295, currency: 'KES', recipient: PHONE, recipient_name: null, method: 'mobile_money' },
    });
  });

  test.each([
    ['another country’s recipient', { recipient: '+256700123456' }, 'recipient', /mobile number in Kenya/],
    ['no recipient', { recipient: undefined }, 'recipient', /recipient_details/],
    ['an unknown method', { method: 'pigeon' }, 'method', /one of mobile_money, bank_transfer/],
    ['a bank without a name', { ...BANK, institution: undefined }, 'institution', /is required/],
    ['another country’s bank', { ...BANK, institution: '044' }, 'institution', /one of 01, /],
    [
      'a malformed account',
      { ...BANK, recipient_details: { account_number: '1' } },
      'recipient_details',
      /^account_number /,
    ],
    [
      'a field that is not a string',
      { ...BANK, recipient_details: { account_number: 1 } },
      'recipient_details',
      /./,
    ],
    ['more than the method takes', { amount: 250_001 }, 'amount', /from 1 to 250000 KES/],
    ['99,999,999,999', { amount: 99_999_999_999 }, 'amount', /from 1 to 250000 KES/],
    ['a misspelt callback', { calback_url: 'https://a.example' }, 'calback_url', /did you mean callback_url/],
    [
      'a camel-case callback',
      { callbackUrl: 'https://a.example' },
      'callbackUrl',
      /did you mean callback_url/,
    ],
  ])('is refused for %s', async (_, changes, field, reason) => {
    const errors = await fault(changes);
    expect(Object.keys(errors)).toEqual([field]);
    expect(errors[field]?.[0]).toMatch(reason);
  });

  test('ignores other unknown keys', async () => {
    expect((await agent.pay({ memo: 'invoice 7', order: { id: 1 } })).status).toBe(201);
  });

  test('refuses a recipient whose fields reach into objects', async () => {
    for (const key of ['__proto__', 'constructor', 'toString']) {
      const body = `{"amount": 1295, "currency": "KES", "user_id": ${agent.userId},
        "recipient_details": {"phone": "${PHONE}", "${key}": "x"}}`;
      const { status, body: answer } = await agent.call('POST', '/api/v1/pay', body);
      // The parser refuses the first key, and the corridor refuses the others.
      const fields = { recipient_details: [expect.stringMatching(/unknown field/)] };
      const error = key === '__proto__' ? 'Invalid JSON' : { fieldErrors: fields, formErrors: [] };
      expect([key, status, answer.error]).toEqual([key, 400, error]);
    }
    const kept = await corridor.db.query<{ recipient_details: object }>(
      'details',
      'select recipient_details from orders where recipient_details ? $1',
      ['__proto__'],
    );
    expect(kept).toEqual([]);
  });

  test('may use a rate lock of its own method only', async () => {
    const lock = async (changes: object) =>
      (
        await expectStatus(
          201,
          agent.call('POST', '/api/v1/rates', { amount: 1295, currency: 'KES', ...changes }),
        )
      ).rate_lock_id;
    const phone = await lock({});
    const refused = await agent.pay({ ...BANK, rate_lock_id: phone });
    expect(refused).toMatchObject({
      status: 400,
      body: { error: 'This rate lock is for 1295 KES by mobile_money in usdt on trx' },
    });
    expect((await agent.pay({ rate_lock_id: phone })).status).toBe(201);
    const bank = await lock({ method: 'bank_transfer', institution: '68' });
    expect((await agent.pay({ ...BANK, rate_lock_id: bank })).status).toBe(201);
    const asked = (changes: object) =>
      agent.call('POST', '/api/v1/rates', { amount: 1295, currency: 'KES', ...changes });
    for (const changes of [
      { method: 'pigeon' },
      { institution: '044' },
      { amount: 250_001 },
      { methd: 'till' },
    ])
      expect((await asked(changes)).status).toBe(400);
  });
});

test('a payment that is repeated with the same recipient details in another order is the same payment', async () => {
  const details = { business_number: '888880', account_number: 'INV 2042' };
  const turned = Object.fromEntries(Object.entries(details).toReversed());
  const paid = (recipient_details: object, key: string) =>
    agent.call(
      'POST',
      '/api/v1/pay',
      {
        ...{ amount: 1_295, currency: 'KES', user_id: agent.userId },
        ...{ method: 'paybill', institution: 'mpesa' },
        recipient_details,
      },
      { 'idempotency-key': key },
    );
  const { order_id } = await expectStatus(201, paid(details, 'turned-details'));
  const again = await expectStatus(200, paid(turned, 'turned-details'));
  expect(again).toMatchObject({ order_id, idempotent_replay: true });
  const other = await paid({ ...details, account_number: 'INV 2043' }, 'turned-details');
  expect([other.status, other.headers.get('x-error-code')]).toEqual([409, 'idempotency_conflict']);
});

describe('an LP', () => {
  test('sees method, institution and the masked recipient before its claim, and the whole recipient afterwards', async () => {
    const feed = await connectFeed(corridor.config.publicUrl, { key: lp.key });
    await feed.next('snapshot');
    const recipient_details = { business_number: '888880', account_number: 'INV 2041' };
    const id = await agent.newOrder({
      ...{ method: 'paybill', institution: 'mpesa', recipient: undefined, recipient_details },
    });
    const offered = { id, method: 'paybill', institution: 'mpesa', recipient_masked: '••••••' };
    const message = await feed.next('order.open', ({ order }) => order.id === id);
    expect(message.order).toMatchObject(offered);
    const { orders } = await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/orders/stream`));
    expect(orders.find((one: { id: number }) => one.id === id)).toMatchObject(offered);
    const before = await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/dashboard`));
    expect(before.open_orders[0]).toMatchObject(offered);
    for (const seen of [message, orders, before]) expect(JSON.stringify(seen)).not.toContain('INV 2041');

    await expectStatus(200, lp.claim(id));
    const own = { id, recipient: '888880', recipient_details, method: 'paybill', institution: 'mpesa' };
    expect((await feed.next('order.updated', ({ order }) => order.id === id)).order).toMatchObject(own);
    await feed.close();
    const after = await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/dashboard`));
    expect(after.my_orders[0]).toMatchObject({ ...own, owned: true });
  });

  test('no longer sees the recipient once it has lost the order', async () => {
    const id = await agent.newOrder({ recipient: PHONE });
    await expectStatus(200, lp.claim(id));
    await expectStatus(200, lp.release(id));
    const { my_orders } = await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/dashboard`));
    expect(my_orders[0]).toMatchObject({
      id,
      recipient: null,
      recipient_details: null,
      recipient_masked: MASKED,
    });
    expect(JSON.stringify(my_orders[0])).not.toContain(PHONE);
    await expectStatus(200, corridor.adminDoes('cancel', id));
  });
});

test('no webhook, public view, event or admin’s list has the recipient’s fields, institution or method', async () => {
  const id = await agent.newOrder({ ...BANK, callback_url: corridor.receiver.url });
  await expectStatus(200, lp.claim(id));
  await expectStatus(200, lp.fiatSent(id));
  await eventually(async () => corridor.receiver.received.some(({ body }) => body.order_id === id));
  const events = await corridor.db.query('events', 'select snapshot from order_event where order_id = $1', [
    id,
  ]);
  const views = [
    corridor.receiver.received.filter(({ body }) => body.order_id === id).map(({ body }) => body),
    events,
    (await corridor.anyone('GET', `/api/orders/${id}`)).body,
    (await agent.call('GET', `/api/orders/${id}`)).body,
    (await corridor.admin('GET', `/api/admin/orders?limit=1&cursor=${id + 1}`)).body,
    (await agent.call('GET', `/api/v1/orders/${id}/timeline`)).body,
  ];
  for (const view of views) {
    const text = JSON.stringify(view);
    expect(text.length).toBeGreaterThan(50);
    for (const word of ['0770123456789', 'recipient_details', 'institution', 'bank_transfer'])
      expect(text).not.toContain(word);
  }
});
