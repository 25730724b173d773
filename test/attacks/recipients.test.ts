import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { startCorridor } from '../support/corridor.ts';
import type { Agent } from '../support/parties.ts';
import { RESOLVER_SECRET, startResolver } from '../support/recipient-resolver.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** Agents try to find out names, or to show an LP a check of another order. */

const resolver = await startResolver();
afterAll(() => resolver.close());
const env = {
  RECIPIENT_RESOLVER_URL: `${resolver.url}/whose?key=secret`,
  RECIPIENT_RESOLVER_SECRET: RESOLVER_SECRET,
};
const corridor = await useCorridor({ env });
await corridor.newLp();

let agent: Agent;
beforeEach(async () => {
  // Each test has the limits of its own agent.
  agent = await corridor.newAgent();
  resolver.answer({ name: 'Jane Njeri Wanjiku' });
});

const PHONE = '+254700123456';
const verify = (changes: object = {}, by = agent) =>
  by.call('POST', '/api/v1/recipients/verify', {
    currency: 'KES',
    recipient: PHONE,
    name: 'Jane Njeri Wanjiku',
    ...changes,
  });
const checked = async (changes: object = {}, by = agent) => expectStatus(201, verify(changes, by));
const orderCount = async () =>
  Number((await corridor.db.pool.query('select count(*) as n from orders')).rows[0].n);

/** Expects that the payment is refused with this text and creates no order. */
async function expectRefused(text: string, id: string, changes: object = {}, by = agent): Promise<void> {
  const before = await orderCount();
  const { status, body, headers } = await by.pay({ recipient_check_id: id, ...changes });
  expect([status, body]).toEqual([400, { error: text }]);
  expect(headers.get('x-error-code')).toBe('bad_recipient_check');
  expect(await orderCount()).toBe(before);
}

describe('a recipient check', () => {
  const OTHER = 'This recipient check is for another recipient, currency, method or institution';

  test('is unknown to another agent', async () => {
    const { recipient_check_id } = await checked();
    await expectRefused('Unknown recipient_check_id', recipient_check_id, {}, await corridor.newAgent());
    await expectRefused('Unknown recipient_check_id', `rc_${'0'.repeat(48)}`);
  });

  test('is not valid for another recipient, method or institution', async () => {
    const { recipient_check_id: id } = await checked();
    await expectRefused(OTHER, id, { recipient: '+254700123457' });
    await expectRefused(OTHER, id, { institution: 'mpesa' });
    await expectRefused(OTHER, id, {
      ...{ method: 'till', recipient: undefined },
      recipient_details: { till_number: '123456' },
    });
    const { recipient_check_id: byBank } = await checked({
      ...{ method: 'bank_transfer', institution: '68', recipient: undefined },
      recipient_details: { account_number: '0770123456789' },
    });
    await expectRefused(OTHER, byBank, {
      ...{ method: 'bank_transfer', institution: '01', recipient: undefined },
      recipient_details: { account_number: '0770123456789' },
    });
  });

  test('is not valid for another name than the one that was compared', async () => {
    const { recipient_check_id: id } = await checked();
    const text = 'This recipient check is for another name than recipient_name';
    await expectRefused(text, id, { recipient_name: 'John Otieno' });
    await expectRefused(text, id, { recipient_name: 'Jane Wanjiku' });
    await expectRefused(text, id, { recipient_name: '...' });
    const paid = await agent.pay({ recipient_check_id: id, recipient_name: 'WANJIKU, Jane Njeri' });
    expect(paid.status).toBe(201);
  });

  test('is not valid once it has expired', async () => {
    const { recipient_check_id: id } = await checked();
    await corridor.db.pool.query(
      `update recipient_check set expires_at = date_trunc('milliseconds', now()) where id = $1`,
      [id],
    );
    await expectRefused('This recipient check has expired: ask for a new one', id);
  });

  test('has the same result for a second payment, and a replay repeats the first', async () => {
    const { recipient_check_id } = await checked();
    const headers = { 'idempotency-key': 'checked-1' };
    const first = await agent.pay({ recipient_check_id }, headers);
    const second = await agent.pay({ recipient_check_id });
    const bound = { recipient_check_id, result: 'matched', name_masked: 'J••• N••• W•••' };
    for (const { status, body } of [first, second])
      expect([status, body.fiat_delivery.recipient_check]).toEqual([201, expect.objectContaining(bound)]);
    await corridor.db.pool.query('delete from recipient_check where id = $1', [recipient_check_id]);
    const again = await agent.pay({ recipient_check_id }, headers);
    expect([again.status, again.body.order_id]).toEqual([200, first.body.order_id]);
    await expectRefused('Unknown recipient_check_id', recipient_check_id);
    expect((await agent.pay({}, headers)).status).toBe(409);
  });
});

describe('an agent cannot look up names without limit', () => {
  test('a recipient can be checked ten times in an hour, in any spelling', async () => {
    const spellings = ['0700123456', '0700 123 456', '+254 700 123456', '0700-123-456', PHONE];
    for (const recipient of [...spellings, ...spellings]) await checked({ recipient, name: 'Jane' });
    const before = resolver.questions.length;
    for (const changes of [
      {},
      { institution: 'mpesa' },
      { recipient: '0700.123.456' },
      { recipient: undefined, recipient_details: { phone: PHONE } },
    ]) {
      const { status, body, headers } = await verify(changes);
      expect([status, headers.get('x-error-code')]).toEqual([429, 'rate_limited']);
      expect(body.error).toBe('Too many checks of this recipient: use an earlier one');
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(resolver.questions).toHaveLength(before);
    // Another recipient or another agent has its own limit.
    await checked({ recipient: '+254700123457' });
    await checked({}, await corridor.newAgent());
  });

  test('a recipient of a currency without a corridor has the same limit', async () => {
    const spellings = ['account 12', 'ACCOUNT-12', 'Account12', 'a.c.c.o.u.n.t 1 2', 'ａccount 12'];
    for (const recipient of [...spellings, ...spellings]) await checked({ currency: 'JPY', recipient });
    expect((await verify({ currency: 'JPY', recipient: 'account/12' })).status).toBe(429);
  });

  test('parallel calls of one agent have one limit', async () => {
    const strict = await startCorridor({ worker: false, env: { ...env, RECIPIENT_CHECK_RATE_LIMIT: '3' } });
    try {
      const other = await strict.newAgent();
      const calls = Array.from({ length: 12 }, (_, i) =>
        verify({ recipient: `+2547001234${10 + i}` }, other),
      );
      const statuses = (await Promise.all(calls)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 201)).toHaveLength(3);
      expect(statuses.filter((status) => status === 429)).toHaveLength(9);
    } finally {
      await strict.stop();
    }
  });

  test('parallel checks of one recipient have one limit', async () => {
    const spellings = ['0700123456', '0700 123 456', '+254 700 123456', PHONE];
    const calls = Array.from({ length: 24 }, (_, i) => verify({ recipient: spellings[i % 4] }));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(14);
  });

  test('a stranger, an LP and an admin learn nothing', async () => {
    const before = resolver.questions.length;
    const body = { currency: 'KES', recipient: PHONE, name: 'Jane' };
    const lp = await corridor.newLp();
    for (const call of [corridor.anyone, corridor.admin, lp.call, corridor.as('ak_unknown')])
      expect((await call('POST', '/api/v1/recipients/verify', body)).status).toBe(403);
    expect(resolver.questions).toHaveLength(before);
  });

  test('neither the response nor the database contains the full name or the expected one', async () => {
    resolver.answer({ name: 'Zebedayo Kiprotich' });
    const answer = await checked({ name: 'Quintine Achieng' });
    const { rows } = await corridor.db.pool.query('select c::text as row from recipient_check c');
    const { rows: windows } = await corridor.db.pool.query('select key from rate_window');
    for (const text of [answer, rows, windows].map((all) => JSON.stringify(all)))
      expect(text).not.toMatch(/zebed|kiprot|quint|achieng|700123456/i);
    expect(answer).toMatchObject({ result: 'not_matched', name_masked: 'Z••• K•••' });
  });
});
