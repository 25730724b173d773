import { describe, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { orderWorkflowId } from '../../workflows/messages.ts';
import { startCorridor } from '../support/corridor.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor();
const agent = await corridor.newAgent();
const lp = await corridor.newLp({ rate: 129.5, spreadBps: 40 });

const orderCount = async (): Promise<number> => {
  const rows = await corridor.db.query<{ n: number }>('count', 'select count(*)::int as n from orders', []);
  return rows[0]?.n ?? -1;
};

/** The workflow id of each order in the database. */
const orderWorkflowIds = async (): Promise<string[]> => {
  const rows = await corridor.db.query<{ id: number }>('ids', 'select id from orders', []);
  return rows.map(({ id }) => orderWorkflowId(id));
};

/** The workflow ids of all runs that Temporal lists. */
async function workflowsInTemporal(): Promise<string[]> {
  const connection = await Connection.connect({ address: testEnvironment().temporalAddress });
  try {
    const { workflow } = new Client({ connection, namespace: corridor.config.temporalNamespace });
    const ids: string[] = [];
    for await (const { workflowId } of workflow.list()) ids.push(workflowId);
    return ids;
  } finally {
    await connection.close();
  }
}

describe('POST /api/v1/pay', () => {
  test('returns 201 with every field of the contract', async () => {
    const { status, body } = await agent.pay({
      amount: 6_475,
      recipient: '+254700123456',
      recipient_name: 'A Recipient',
      callback_url: corridor.receiver.url,
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      payment_id: expect.stringMatching(/^pay_[0-9a-f]{24}$/),
      order_id: expect.any(Number),
      status: 'matched',
      // 6475 / 129.5 = 50 USD, 0.4 % spread 0.20, fee 0.25
      crypto_required: { amount: expect.any(Number), symbol: 'usdt', chain: 'trx' },
      fiat_delivery: {
        amount: 6475,
        currency: 'KES',
        recipient: '+254700123456',
        recipient_name: 'A Recipient',
        method: 'mobile_money',
      },
      rate: '1 USD = 129.5 KES',
      deposit_address: null,
      lp: { id: lp.id, rate: 129.5 },
      callback_url: corridor.receiver.url,
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      track_url: `${corridor.config.publicUrl}/api/orders/${body.order_id}`,
    });
    expect(Date.parse(body.expires_at)).toBeGreaterThan(Date.now());
  });

  test('quotes the LP that is cheapest for the payer', async () => {
    const cheap = await corridor.newLp({ currency: 'UGX', rate: 3_700, spreadBps: 10 });
    await corridor.newLp({ currency: 'UGX', rate: 3_700, spreadBps: 60 });
    await corridor.newLp({ currency: 'UGX', rate: 3_600, spreadBps: 0 });
    const { body } = await agent.pay({ currency: 'ugx', amount: 37_000 });
    expect(body.lp).toEqual({ id: cheap.id, rate: 3700 });
  });

  test.each([
    ['no amount', { amount: undefined }, 'amount'],
    ['an amount of zero', { amount: 0 }, 'amount'],
    ['a negative amount', { amount: -5 }, 'amount'],
    ['an amount as text', { amount: '100' }, 'amount'],
    ['an amount with too many decimals', { amount: 0.1 + 0.2 }, 'amount'],
    ['an amount above the limit', { amount: 1e308 }, 'amount'],
    ['no currency', { currency: undefined }, 'currency'],
    ['no recipient', { recipient: undefined }, 'recipient'],
    ['a recipient with control characters', { recipient: '+2547\u0000' }, 'recipient'],
    ['no user_id', { user_id: undefined }, 'user_id'],
    ['a user_id as text', { user_id: '1' }, 'user_id'],
    ['an invalid callback_url', { callback_url: 'javascript:alert(1)' }, 'callback_url'],
    ['an unknown chain', { crypto_chain: 'doge' }, 'crypto_chain'],
  ])('refuses %s with 400 and names the field', async (_what, changes, field) => {
    const before = await orderCount();
    const { status, body } = await agent.pay(changes);
    expect(status).toBe(400);
    expect(body.message).toBe('Validation failed');
    expect(Object.keys(body.error.fieldErrors)).toEqual([field]);
    expect(body.error.formErrors).toEqual([]);
    expect(await orderCount()).toBe(before);
  });

  test.each([
    ['an unknown user', { user_id: 999_999 }, 400, /Unknown user_id 999999/],
    ['a token without a price', { crypto_symbol: 'btc' }, 400, /Could not calculate rate.*usdt or usdc/],
    ['an unknown rate lock', { rate_lock_id: 'rl_1' }, 400, /rate_lock_id/],
    ['a currency that no LP has', { currency: 'XOF' }, 404, /^No LP available for this currency$/],
    ['a mistyped currency', { currency: 'KSE' }, 404, /^No LP available .* Did you mean KES\?$/],
  ])('refuses %s', async (_what, changes, status, text) => {
    const before = await orderCount();
    const answer = await agent.pay(changes);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatch(text);
    expect(await orderCount()).toBe(before);
  });

  test.each([
    ['broken JSON', '{"amount": 1', 400],
    ['a body that is not an object', '[1, 2]', 400],
    ['a huge body', `{"recipient": "${'x'.repeat(200_000)}"}`, 413],
  ])('refuses %s', async (_what, text, status) => {
    const answer = await agent.call('POST', '/api/v1/pay', text);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toBeDefined();
  });

  test('refuses a body that is not sent as JSON', async () => {
    const answer = await agent.call('POST', '/api/v1/pay', 'amount=1', { 'content-type': 'text/plain' });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('application/json') },
    });
  });

  test('needs a valid and active agent key', async () => {
    const revoked = await corridor.newAgent();
    await corridor.admin('DELETE', `/api/admin/agent-keys/${revoked.keyId}`);
    const stranger = { ...agent, call: corridor.as(`rk_live_${'0'.repeat(48)}`) };
    const nobody = { ...agent, call: corridor.anyone };
    for (const [caller, text] of [
      [revoked, 'Invalid or revoked agent API key'],
      [stranger, 'Invalid or revoked agent API key'],
      [nobody, 'Agent API key required'],
    ] as const) {
      expect(await caller.pay()).toMatchObject({ status: 403, body: { error: text } });
    }
  });
});

describe('Idempotency-Key', () => {
  test.each(['Idempotency-Key', 'idempotency_key'])(
    '%s replays the first response, with a masked recipient',
    async (name) => {
      const headers = { [name]: `replay-${name}` };
      const first = await agent.pay({}, headers);
      const second = await agent.pay({}, headers);
      expect([first.status, second.status]).toEqual([201, 200]);
      const replayed = [first, second].map((answer) => answer.headers.get('idempotent-replayed'));
      expect(replayed).toEqual([null, 'true']);
      expect(second.body).toEqual({
        ...first.body,
        fiat_delivery: { ...first.body.fiat_delivery, recipient: '+2•••••••••56' },
        idempotent_replay: true,
      });
    },
  );

  test('with another body is a conflict and creates nothing', async () => {
    const headers = { 'idempotency-key': 'conflict' };
    await agent.pay({}, headers);
    const before = await orderCount();
    const other = await agent.pay({ amount: 1_296 }, headers);
    expect(other).toMatchObject({ status: 409, body: { error: expect.stringContaining('Idempotency-Key') } });
    expect(await orderCount()).toBe(before);
  });

  test('belongs to the agent key', async () => {
    const headers = { 'idempotency-key': 'scoped' };
    const other = await corridor.newAgent();
    const mine = await agent.pay({}, headers);
    const theirs = await other.pay({}, headers);
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(theirs.body.order_id).not.toBe(mine.body.order_id);
  });

  test('in a hundred concurrent requests creates one order and one workflow', async () => {
    const before = await orderCount();
    const known = new Set(await orderWorkflowIds());
    const headers = { 'idempotency-key': 'a-hundred' };
    const answers = await Promise.all(Array.from({ length: 100 }, () => agent.pay({}, headers)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(99);
    expect(new Set(answers.map(({ body }) => body.order_id)).size).toBe(1);
    expect(await orderCount()).toBe(before + 1);
    const started = async () => (await workflowsInTemporal()).filter((id) => !known.has(id));
    // Temporal's list is updated with a short delay.
    await eventually(async () => (await started()).length > 0);
    expect(await started()).toEqual([orderWorkflowId(answers[0]?.body.order_id)]);
  });

  test('that is malformed is refused', async () => {
    const answer = await agent.pay({}, { 'idempotency-key': 'with space' });
    expect(answer).toMatchObject({ status: 400, body: { message: 'Validation failed' } });
  });
});

describe('an agent', () => {
  test('reads the status of its order', async () => {
    const id = await agent.newOrder();
    const { status, body } = await agent.call('GET', `/api/v1/status/${id}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      order_id: id,
      status: 'matched',
      amount_fiat: 1295,
      currency: 'KES',
      crypto_symbol: 'usdt',
      crypto_amount: expect.closeTo(10.095, 2),
      tx_hash: null,
      created_at: expect.any(String),
      completed_at: null,
    });
  });

  test('neither sees nor moves the order of another', async () => {
    const id = await agent.newOrder();
    const other = await corridor.newAgent();
    const answers = await Promise.all([
      other.call('GET', `/api/v1/status/${id}`),
      other.call('POST', `/api/v1/confirm/${id}`, {}),
      other.call('POST', `/api/v1/settle/${id}`, { tx_hash: 'ab'.repeat(32) }),
    ]);
    for (const answer of answers) expect(answer).toMatchObject({ status: 404, body: { error: 'Not found' } });
  });

  test.each(['0', '-1', '1.5', 'abc', '99999999', '9007199254740993', '%00'])(
    'finds no order %s',
    async (id) => {
      const answer = await agent.call('GET', `/api/v1/status/${id}`);
      expect(answer).toMatchObject({ status: 404, body: { error: 'Not found' } });
    },
  );
});

describe('the rate limit', () => {
  test('allows 30 payments a minute for each client address, and no more', async () => {
    const limited = await startCorridor({ env: { PAY_RATE_LIMIT: '30' }, worker: false });
    try {
      const caller = await limited.newAgent();
      const answers = await Promise.all(Array.from({ length: 40 }, () => caller.pay({ currency: 'XOF' })));
      expect(answers.filter(({ status }) => status === 404)).toHaveLength(30);
      const refused = answers.filter(({ status }) => status === 429);
      expect(refused).toHaveLength(10);
      expect(refused[0]?.body.error).toBe('Too many requests');
      expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    } finally {
      await limited.stop();
    }
  });
});
