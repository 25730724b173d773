import { afterAll, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { startCorridor } from '../support/corridor.ts';
import { eventually } from '../support/eventually.ts';
import { connectFeed } from '../support/feed-client.ts';
import { RESOLVER_SECRET, startResolver } from '../support/recipient-resolver.ts';
import { useCorridor } from '../support/use-corridor.ts';

const resolver = await startResolver();
afterAll(() => resolver.close());
const corridor = await useCorridor({
  env: { RECIPIENT_RESOLVER_URL: resolver.url, RECIPIENT_RESOLVER_SECRET: RESOLVER_SECRET },
});

const agent = await corridor.newAgent();
const lp = await corridor.newLp();

const verify = async (body: object, by = agent) =>
  expectStatus(201, by.call('POST', '/api/v1/recipients/verify', body));

describe('POST /api/v1/recipients/verify', () => {
  test.each<[object, string | undefined, string, string | null]>([
    [{ name: 'Jane Wanjiku' }, 'JANE WANJIKU', 'matched', 'J••• W•••'],
    [{ name: 'Jane Njeri Wanjiku' }, 'JANE WANJIKU', 'partial', 'J••• N••• W•••'],
    [{ name: 'John Otieno' }, 'JANE WANJIKU', 'not_matched', 'J••• O•••'],
    [{ name: 'Jane Wanjiku' }, undefined, 'partial', 'J••• W•••'],
    [{ name: null }, 'Jane Wanjiku', 'not_matched', null],
  ])('compares %j with %s: %s', async (held, name, result, name_masked) => {
    resolver.answer(held);
    const answer = await verify({ currency: 'KES', recipient: '+254700000011', name });
    expect(answer).toEqual({
      ...{ result, name_masked },
      recipient_check_id: expect.stringMatching(/^rc_[0-9a-f]{48}$/),
      expires_at: expect.any(String),
    });
    const left = Date.parse(answer.expires_at) - Date.now();
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(3_600_000);
  });

  test('reports an unknown recipient when the resolver has no such account', async () => {
    resolver.answer((_, response) => void response.writeHead(404).end());
    const answer = await verify({ currency: 'KES', recipient: '+254700000012', name: 'Jane' });
    expect(answer).toMatchObject({ result: 'not_matched', name_masked: null });
  });

  test('takes the fields of a method, and a currency without a corridor', async () => {
    resolver.answer({ name: 'Acme Ltd' });
    const bank = { method: 'bank_transfer', institution: '68' };
    const recipient_details = { account_number: '0770123456789' };
    const byBank = await verify({ currency: 'kes', ...bank, recipient_details, name: 'ACME LTD.' });
    expect(byBank.result).toBe('matched');
    const elsewhere = await verify({ currency: 'JPY', recipient: 'account 12', name: 'Acme' });
    expect(elsewhere.result).toBe('partial');
    expect(JSON.parse(String(resolver.questions.at(-1)?.text))).toEqual({
      ...{ currency: 'JPY', method: 'mobile_money', institution: null },
      ...{ recipient: 'account 12', recipient_details: null },
    });
  });

  test('compares nothing without a resolver, and its result can still be bound to a payment', async () => {
    const without = await startCorridor({ worker: false });
    try {
      const other = await without.newAgent();
      await without.newLp();
      const answer = await verify({ currency: 'KES', recipient: '+254700123456', name: 'Jane' }, other);
      expect(answer).toMatchObject({ result: 'unsupported', name_masked: null });
      const { recipient_check_id } = answer;
      const { body } = await other.pay({ recipient_check_id });
      expect(body.fiat_delivery.recipient_check).toMatchObject({ result: 'unsupported' });
    } finally {
      await without.stop();
    }
  });
});

describe('a payment that names a check', () => {
  const PHONE = '+254700424242';
  const bound = {
    result: 'matched',
    name_masked: 'J••• W•••',
    recipient_check_id: expect.stringMatching(/^rc_/),
    checked_at: expect.any(String),
  };
  const check = async (): Promise<string> => {
    resolver.answer({ name: 'Jane Wanjiku' });
    return (await verify({ currency: 'KES', recipient: PHONE, name: 'Wanjiku Jane' })).recipient_check_id;
  };
  const mine = async (orderId: number) => {
    const dashboard = await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/dashboard`));
    return dashboard.my_orders.find(({ id }: { id: number }) => id === orderId);
  };

  test('shows it to its agent, to the LP that owns the order, and to nobody else', async () => {
    const socket = await connectFeed(corridor.config.publicUrl, { key: lp.key });
    // An order that is created before the snapshot is part of it.
    await socket.next('snapshot');
    const callback_url = corridor.receiver.url;
    const terms = { recipient: '0700 424 242', recipient_check_id: await check(), callback_url };
    const orderId = await agent.newOrder(terms);
    const status = () => expectStatus(200, agent.call('GET', `/api/v1/status/${orderId}`));
    expect((await status()).recipient_check).toEqual(bound);
    const { orders } = await expectStatus(200, agent.call('GET', '/api/v1/orders?limit=1'));
    expect(orders[0].recipient_check).toEqual(bound);
    expect(await expectStatus(200, corridor.anyone('GET', `/api/orders/${orderId}`))).not.toHaveProperty(
      'recipient_check',
    );

    const opened = await socket.next('order.open', ({ order }) => order.id === orderId);
    expect(opened.order).not.toHaveProperty('recipient_check');
    await expectStatus(200, lp.claim(orderId));
    const updated = await socket.next('order.updated', ({ order }) => order.id === orderId);
    expect(updated.order.recipient_check).toEqual(bound);
    expect((await mine(orderId)).recipient_check).toEqual(bound);

    await expectStatus(200, lp.release(orderId));
    expect((await mine(orderId)).recipient_check).toBeNull();
    const webhooks = () => corridor.receiver.received.filter(({ body }) => body.order_id === orderId);
    await eventually(async () => webhooks().length >= 2);
    expect(JSON.stringify(webhooks().map(({ body }) => body))).not.toContain('recipient_check');
    await socket.close();
  });

  test('of a payment without one is not in any view', async () => {
    const { body } = await agent.pay({ recipient: PHONE });
    expect(body.fiat_delivery).not.toHaveProperty('recipient_check');
    const status = await expectStatus(200, agent.call('GET', `/api/v1/status/${body.order_id}`));
    expect(status).not.toHaveProperty('recipient_check');
    await expectStatus(200, lp.claim(body.order_id));
    expect((await mine(body.order_id)).recipient_check).toBeNull();
  });

  test('is kept by its order when the check is pruned', async () => {
    const orderId = await agent.newOrder({ recipient: PHONE, recipient_check_id: await check() });
    await corridor.db.pool.query(`update recipient_check set expires_at = now() - interval '2 days'`);
    const left = async () =>
      (await corridor.db.pool.query('select count(*)::int as n from recipient_check')).rows[0].n;
    await eventually(async () => (await left()) === 0);
    const status = await expectStatus(200, agent.call('GET', `/api/v1/status/${orderId}`));
    expect(status.recipient_check).toEqual(bound);
  });
});
