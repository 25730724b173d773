import { afterAll, describe, expect, test } from '@jest/globals';
import type { Answer, Call } from '../../dev/http-client.ts';
import { newLp, pay } from '../support/actors.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { freshDatabase } from '../support/database.ts';
import { connectFeed } from '../support/feed-client.ts';
import type { Agent } from '../support/parties.ts';

const databaseUrl = await freshDatabase();
const env = {
  PAY_RATE_LIMIT: '7',
  REGISTER_RATE_LIMIT: '3',
  SIGN_IN_RATE_LIMIT: '3',
  AUTH_FAILURE_LIMIT: '5',
  RATES_RATE_LIMIT: '4',
  REDELIVER_RATE_LIMIT: '3',
  AUTO_CLAIM_RATE_LIMIT: '2',
  TERMS_RATE_LIMIT: '3',
  TERMS_READ_RATE_LIMIT: '2',
  DASHBOARD_RATE_LIMIT: '2',
  LP_ACCOUNT_RATE_LIMIT: '3',
  AGENT_RATE_LIMIT: '30',
  TRUST_PROXY_HOPS: '1',
};
/** Two Corridors on one database, as two API processes with limits. */
const one = await startCorridor({ databaseUrl, env, worker: false });
const two = await startCorridor({ databaseUrl, env, worker: false });
afterAll(() => Promise.all([one.stop(), two.stop()]));

const from = (address: string) => ({ 'x-forwarded-for': address });
const statuses = (answers: Answer[]) => answers.map(({ status }) => status).sort();
const headersOf = ({ headers }: Answer) => ({
  limit: Number(headers.get('ratelimit-limit')),
  remaining: Number(headers.get('ratelimit-remaining')),
  reset: Number(headers.get('ratelimit-reset')),
});
/** The same agent on the second API. */
const atBoth = (agent: Agent): Agent[] => [agent, { ...agent, call: two.as(agent.key) }];
/** Makes this many concurrent calls, half of them to each API. */
const volley = (n: number, call: (i: number) => Promise<Answer>) =>
  Promise.all(Array.from({ length: n }, (_, i) => call(i)));

async function limitedAgent(perMinute: number): Promise<Agent> {
  const agent = await one.newAgent();
  await one.db.query('limit-agent', 'update agent_key set rate_limit = $2 where id = $1', [
    agent.keyId,
    perMinute,
  ]);
  return agent;
}

describe('an agent key’s own limit', () => {
  test('is exact across processes and routes', async () => {
    const agents = atBoth(await limitedAgent(12));
    const answers = await volley(20, (i) => {
      const { call } = agents[i % 2] as Agent;
      return call('GET', i % 3 ? '/api/v1/status/1' : '/api/v1/orders');
    });
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(8);
  });

  test('does not affect other keys, and is shown in the headers', async () => {
    const agent = await limitedAgent(2);
    const path = '/api/v1/orders';
    const answers = [];
    for (let i = 0; i < 3; i++) answers.push(await agent.call('GET', path));
    expect(answers.map(headersOf)).toEqual([
      { limit: 2, remaining: 1, reset: expect.any(Number) },
      { limit: 2, remaining: 0, reset: expect.any(Number) },
      { limit: 2, remaining: 0, reset: expect.any(Number) },
    ]);
    for (const { reset } of answers.map(headersOf)) {
      expect(reset).toBeGreaterThan(0);
      expect(reset).toBeLessThanOrEqual(60);
    }
    const refused = answers[2] as Answer;
    expect(refused).toMatchObject({ status: 429, body: { error: 'Too many requests' } });
    expect(refused.headers.get('retry-after')).toBe(refused.headers.get('ratelimit-reset'));

    const other = await (await one.newAgent()).call('GET', path);
    expect([other.status, headersOf(other)]).toEqual([200, { limit: 30, remaining: 29, reset: 60 }]);
  });

  test('is that of the installation by default, over all routes, and exact across processes', async () => {
    const agents = atBoth(await one.newAgent());
    const paths = [
      '/api/v1/status/1',
      '/api/v1/orders',
      '/api/v1/webhook-deliveries?order_id=1',
      '/api/orders/1',
    ];
    const answers = await volley(40, (i) => (agents[i % 2] as Agent).call('GET', paths[i % 4] as string));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10);
    const refused = await (agents[0] as Agent).call('GET', '/api/v1/orders');
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      'ratelimit-policy': '"agent";q=30;w=60',
      ratelimit: expect.stringMatching(/^"agent";r=0;t=\d+$/),
      'retry-after': expect.stringMatching(/^\d+$/),
    });
  });

  test('begins again when its minute has ended', async () => {
    const agent = await limitedAgent(3);
    const read = () => agent.call('GET', '/api/v1/orders');
    for (let i = 0; i < 4; i++) await read();
    expect((await read()).status).toBe(429);
    await one.db.query(
      'end-minute',
      "update agent_request_count set until = clock_timestamp() - interval '1 millisecond' where agent_key_id = $1",
      [agent.keyId],
    );
    const answers = await volley(5, read);
    expect(statuses(answers)).toEqual([200, 200, 200, 429, 429]);
    expect(headersOf(await read())).toEqual({ limit: 3, remaining: 0, reset: expect.any(Number) });
  });

  test('of the key’s own replaces the default, also above it', async () => {
    const agents = atBoth(await limitedAgent(35));
    const answers = await volley(36, (i) => (agents[i % 2] as Agent).call('GET', '/api/v1/orders'));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
  });

  test('next to another limit: the headers show the one that is closer to exhaustion', async () => {
    const agent = await limitedAgent(3);
    const answer = await agent.pay({ currency: 'XOF' }, from('198.51.100.9'));
    expect(headersOf(answer)).toMatchObject({ limit: 3, remaining: 2 });
  });
});

test('payments are limited for each key and client address, exactly across processes', async () => {
  const agents = atBoth(await one.newAgent());
  const answers = await volley(15, (i) =>
    pay(agents[i % 2] as Agent, { currency: 'XOF' }, from('198.51.100.1')),
  );
  expect(statuses(answers)).toEqual([...Array(7).fill(404), ...Array(8).fill(429)]);
  const remaining = answers.filter(({ status }) => status === 404).map((a) => headersOf(a).remaining);
  expect(remaining.sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

test('registrations are limited for each client address, exactly across processes', async () => {
  const body = { xrpl_address: 'rSomebody', mpesa_phone: '+254700000009' };
  const answers = await volley(8, (i) =>
    (i % 2 ? one : two).anyone('POST', '/api/lp/register', body, from('198.51.100.2')),
  );
  expect(statuses(answers)).toEqual([201, 201, 201, 429, 429, 429, 429, 429]);
  expect((await one.anyone('POST', '/api/lp/register', body, from('198.51.100.3'))).status).toBe(201);
});

test('sign-ins to the console are limited for each client address, exactly across processes', async () => {
  const { key } = await one.newLp();
  const answers = await volley(8, (i) =>
    (i % 2 ? one : two).as(key)('POST', '/api/console/session', undefined, from('198.51.100.4')),
  );
  expect(statuses(answers)).toEqual([201, 201, 201, 429, 429, 429, 429, 429]);
  const elsewhere = one.as(key)('POST', '/api/console/session', undefined, from('198.51.100.5'));
  expect((await elsewhere).status).toBe(201);
});

test.each([
  ['POST /api/v1/rates', 4, async () => byAgent('/api/v1/rates', { amount: 1, currency: 'XOF' }), 404],
  ['redeliveries', 3, async () => byAgent('/api/v1/webhook-deliveries/999999/redeliver', {}), 404],
  ['auto-claim configurations', 2, () => byLp('POST', 'auto-claim', { enabled: false }), 200],
  ['published terms', 3, () => byLp('POST', 'terms', { currency: 'XOF', rate_usd: 600 }), 200],
  ['published rates', 3, () => byLp('POST', 'rates', { currency: 'XOF', rate_usd: 600 }), 200],
  ['reads of terms', 2, () => byLp('GET', 'terms'), 200],
  [
    'changes of the webhook',
    3,
    () => byLp('POST', 'webhook', { url: 'https://lp.example/hook', events: ['order.open'] }),
    201,
  ],
  ['removals of the webhook', 3, () => byLp('DELETE', 'webhook'), 200],
  ['rotations of the own key', 3, () => byLp('POST', 'rotate', { overlap: '24h' }), 201],
  [
    'requests for withdrawals',
    3,
    () => byLp('POST', 'collateral/withdraw', { amount: 1, address: 'TMyOwnAddress' }),
    400,
  ],
  ['reads of the dashboard', 2, () => byLp('GET', 'dashboard'), 200],
])('%s are limited for each key, exactly across processes', async (_what, limit, prepare, otherwise) => {
  const call = await prepare();
  const answers = await volley(limit + 4, (i) => call(i % 2 ? one : two));
  expect(statuses(answers)).toEqual([...Array(limit).fill(otherwise), ...Array(4).fill(429)]);
  expect((await (await prepare())(one)).status).toBe(otherwise);
});
/** Calls as an agent or LP that no other test uses. */
async function byAgent(path: string, body: object) {
  const { key } = await one.newAgent();
  return (at: TestCorridor) => at.as(key)('POST', path, body);
}
let addresses = 0;
async function byLp(method: string, path: string, body?: object) {
  // Registrations are limited for each address.
  const address = from(`203.0.113.${++addresses}`);
  const anyone: Call = (verb, route, content) => one.anyone(verb, route, content, address);
  const lp = await newLp({ ...one, anyone }, { collateral: 0 });
  return (at: TestCorridor) => at.as(lp.key)(method, `/api/lp/${lp.key}/${path}`, body);
}

describe('failed authentications', () => {
  test('are limited for each client address, exactly across processes, and then refuse valid keys too', async () => {
    const agent = await one.newAgent();
    const address = from('198.51.100.4');
    const wrong = await volley(12, (i) =>
      (i % 2 ? one : two).as('guess')('GET', '/api/v1/status/1', undefined, address),
    );
    expect(statuses(wrong)).toEqual([...Array(5).fill(403), ...Array(7).fill(429)]);

    const late = await two.as(agent.key)('GET', '/api/v1/orders', undefined, address);
    expect(late.status).toBe(429);
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await agent.call('GET', '/api/v1/orders', undefined, from('198.51.100.5'))).status).toBe(200);
  });

  test('do not include requests with a valid key', async () => {
    const agent = await one.newAgent();
    const answers = await volley(12, () =>
      agent.call('GET', '/api/v1/orders', undefined, from('198.51.100.6')),
    );
    expect(new Set(statuses(answers))).toEqual(new Set([200]));
  });

  test('also count on routes with an optional key, and on the feed', async () => {
    const address = from('198.51.100.8');
    const guess = () => one.as('guess')('GET', '/api/orders/1', undefined, address);
    expect(statuses([await guess(), await guess(), await guess()])).toEqual([404, 404, 404]);
    const knock = () => connectFeed(two.config.publicUrl, { key: 'lp_guess', headers: address });
    for (let i = 0; i < 2; i++) await expect(knock()).rejects.toMatchObject({ status: 401 });
    await expect(knock()).rejects.toMatchObject({ status: 429 });
    expect((await guess()).status).toBe(429);
    expect((await one.anyone('GET', '/api/orders/1', undefined, address)).status).toBe(404);
  });

  test('block every route that takes a key', async () => {
    const lp = await one.newLp({ collateral: 0 });
    const address = from('198.51.100.7');
    for (let i = 0; i < 5; i++) await one.as('guess')('GET', '/api/admin/agent-keys', undefined, address);
    const { body: document } = await one.anyone('GET', '/openapi.json');
    const operations = Object.entries<Record<string, { security: object[] }>>(document.paths).flatMap(
      ([path, byMethod]) =>
        Object.entries(byMethod)
          .filter(([, { security }]) => security.length > 0)
          .map(([method]) => ({ method, path: path.replace('{lp_key}', lp.key).replace(/\{\w+\}/g, '1') })),
    );
    expect(operations.length).toBeGreaterThan(10);
    for (const { method, path } of operations) {
      const body = method === 'post' ? {} : undefined;
      const answer = await one.admin(method.toUpperCase(), path, body, address);
      expect([method, path, answer.status]).toEqual([method, path, 429]);
    }
  });
});
