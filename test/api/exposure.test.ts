import { describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { eventually } from '../support/eventually.ts';
import type { Agent } from '../support/parties.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** The limit of an agent's unsettled orders. A payment of 1,295 KES is worth 10 USD. */
const corridor = await useCorridor({ env: { DEFAULT_MAX_EXPOSURE_USD: '25' } });
const lp = await corridor.newLp();

const limit = ({ keyId }: Agent, max_exposure_usd: number) =>
  expectStatus(200, corridor.admin('POST', `/api/admin/agent-keys/${keyId}`, { max_exposure_usd }));
const limited = async (usd: number) => {
  const agent = await corridor.newAgent();
  await limit(agent, usd);
  return agent;
};
const liveUsd = async ({ keyId }: Agent) => {
  const sql = `select coalesce(sum(amount_usd), 0)::float as usd from orders
    where agent_key_id = $1 and status not in ('completed', 'cancelled')`;
  return (await corridor.db.query<{ usd: number }>('live-usd', sql, [keyId]))[0]?.usd;
};
const statuses = (answers: { status: number }[]) => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
const times = <T>(n: number, work: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: n }, (_, i) => work(i)));

describe('a new key', () => {
  const issued = async (body: object) => {
    const { id } = await expectStatus(201, corridor.admin('POST', '/api/admin/agent-keys', body));
    const keys = await expectStatus(200, corridor.admin('GET', '/api/admin/agent-keys'));
    return keys.find((key: { id: number }) => key.id === id).max_exposure_usd;
  };
  test('has the default limit, unless the admin names another one or none', async () => {
    expect(await issued({})).toBe(25);
    expect(await issued({ max_exposure_usd: 4.5 })).toBe(4.5);
    expect(await issued({ max_exposure_usd: 0 })).toBe(0);
  });
  test.each([-1, null, '0', 1e12])('is not issued with the limit %p', async (max_exposure_usd) => {
    const answer = await corridor.admin('POST', '/api/admin/agent-keys', { max_exposure_usd });
    expect([answer.status, Object.keys(answer.body.error.fieldErrors)]).toEqual([400, ['max_exposure_usd']]);
  });
  test('enforces the default', async () => {
    const agent = await corridor.newAgent();
    expect(statuses([await agent.pay(), await agent.pay(), await agent.pay()])).toEqual({ 201: 2, 400: 1 });
  });
});

describe('payments', () => {
  test('pass up to the limit, and not a hundredth of the currency above it', async () => {
    const agent = await limited(10);
    expect((await agent.pay({ amount: 1_295.01 })).status).toBe(400);
    expect(await liveUsd(agent)).toBe(0);
    expect((await agent.pay()).status).toBe(201);
  });

  test('in parallel stay within the limit', async () => {
    const agent = await limited(100);
    expect(statuses(await times(28, () => agent.pay()))).toEqual({ 201: 10, 400: 18 });
    expect(await liveUsd(agent)).toBe(100);
  });

  test('with a rate lock or an idempotency key each stay within the limit', async () => {
    const agent = await limited(30);
    const terms = { amount: 1295, currency: 'KES' };
    const locks = await times(6, () => expectStatus(201, agent.call('POST', '/api/v1/rates', terms)));
    const answers = await Promise.all(
      locks.flatMap(({ rate_lock_id }, i) => [
        agent.pay({ rate_lock_id }),
        agent.pay({}, { 'idempotency-key': `${i}` }),
      ]),
    );
    expect(statuses(answers)).toEqual({ 201: 3, 400: 9 });
    expect(await liveUsd(agent)).toBe(30);
  });

  test('with one idempotency key are one payment, even if it reaches the limit', async () => {
    const agent = await limited(10);
    const headers = { 'idempotency-key': 'the-last-ten-dollars' };
    const answers = await times(8, () => agent.pay({}, headers));
    expect(statuses(answers)).toEqual({ 201: 1, 200: 7 });
    expect((await agent.pay()).status).toBe(400);
  });

  test('count from their creation until they are completed or cancelled', async () => {
    const agent = await limited(15);
    const id = await agent.newOrder();
    const refused = async () => {
      expect(await agent.pay()).toMatchObject({
        status: 400,
        body: {
          error: expect.stringMatching(/10\.00 USD; with 10\.00 USD unsettled .* limit of 15\.00 USD/),
        },
      });
    };
    await refused();
    const half = await agent.newOrder({ amount: 647.5 });
    await expectStatus(200, agent.cancel(half));
    await refused();
    await lp.claim(id);
    await refused();
    await lp.fiatSent(id);
    await refused();
    await agent.confirm(id);
    await refused();
    await agent.settle(id, await corridor.payment(agent, id));
    await eventually(async () => (await agent.pay()).status === 201);
  });

  test('of one agent do not count towards another’s limit', async () => {
    const [one, two] = [await limited(10), await limited(10)];
    expect(statuses([await one.pay(), await two.pay(), await one.pay()])).toEqual({ 201: 2, 400: 1 });
  });

  test('of an agent without a limit all pass', async () => {
    const agent = await limited(0);
    expect(statuses(await times(12, () => agent.pay()))).toEqual({ 201: 12 });
  });
});

describe('claims after an admin lowered the limit', () => {
  const over = {
    status: 409,
    body: { error: 'The order’s agent has reached its limit of unsettled USD' },
  };
  test('stay within the new limit, however many come at once', async () => {
    const agent = await limited(100);
    const ids = await times(10, () => agent.newOrder());
    await limit(agent, 30);
    const answers = await Promise.all(ids.map((id) => lp.claim(id)));
    expect(statuses(answers)).toEqual({ 200: 3, 409: 7 });
    expect(answers.find(({ status }) => status === 409)).toMatchObject(over);
  });

  test('are refused until the agent has settled others, and cost the LP nothing', async () => {
    const agent = await limited(20);
    const [first, second] = [await agent.newOrder(), await agent.newOrder()];
    await limit(agent, 10);
    expect((await lp.claim(first)).status).toBe(200);
    expect(await lp.claim(second)).toMatchObject(over);
    expect((await agent.pay({ amount: 1 })).status).toBe(400);
    await lp.fiatSent(first);
    await agent.confirm(first);
    await agent.settle(first, await corridor.payment(agent, first));
    await eventually(async () => (await lp.claim(second)).status === 200);
  });

  test('pass again after the admin removed the limit', async () => {
    const agent = await limited(20);
    const id = await agent.newOrder();
    await limit(agent, 0.01);
    expect(await lp.claim(id)).toMatchObject(over);
    await limit(agent, 0);
    expect((await lp.claim(id)).status).toBe(200);
  });
});
