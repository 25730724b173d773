import { describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { signInWith } from '../support/console-session.ts';
import type { Agent } from '../support/parties.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** `GET /api/v1/key`. A payment of 1,295 KES is worth 10 USD. */
const corridor = await useCorridor({
  env: { DEFAULT_MAX_EXPOSURE_USD: '25', AGENT_RATE_LIMIT: '0' },
});
await corridor.newLp();

const ownKey = (agent: Pick<Agent, 'call'>) => expectStatus(200, agent.call('GET', '/api/v1/key'));
const change = ({ keyId }: Agent, body: object) =>
  expectStatus(200, corridor.admin('POST', `/api/admin/agent-keys/${keyId}`, body));

describe('an agent’s own key', () => {
  test('shows its name, scopes, expiry, addresses, limits and last use, and no secret', async () => {
    const agent = await corridor.newAgent();
    expect(await ownKey(agent)).toEqual({
      ...{ id: agent.keyId, name: 'test', integrator_name: null, scopes: null },
      ...{ expires_at: null, allowed_ips: null, created_at: expect.any(String) },
      ...{ last_used_at: null, last_used_address: null, requests_per_minute: null },
      exposure: { limit_usd: 25, used_usd: 0, left_usd: 25 },
    });
    const limits = {
      ...{ name: 'my shop', scopes: ['webhooks'], rate_limit: 90 },
      ...{ expires_at: '2099-01-01T00:00:00.000Z', allowed_ips: ['127.0.0.0/8', '2001:db8::/32'] },
    };
    await change(agent, limits);
    const { rate_limit, ...shown } = limits;
    const key = await ownKey(agent);
    expect(key).toMatchObject({ ...shown, requests_per_minute: rate_limit });
    expect(key).toMatchObject({ last_used_at: expect.any(String), last_used_address: '127.0.0.1' });
    expect(JSON.stringify(key)).not.toMatch(/hash|secret|rk_live|whsec/);
  });

  test('counts only requests with the key itself as its use: the pages of the console read by themselves', async () => {
    const agent = await corridor.newAgent();
    const session = await signInWith(corridor, agent.key);
    const forget = 'update agent_key set last_used_at = null, last_used_address = null where id = $1';
    await corridor.db.query('t-unused', forget, [agent.keyId]);
    for (let i = 0; i < 2; i++)
      expect(await ownKey(session)).toMatchObject({ last_used_at: null, last_used_address: null });
    await ownKey(agent);
    expect(await ownKey(session)).toMatchObject({ last_used_at: expect.any(String) });
  });

  test('shows the exposure that payments are measured by', async () => {
    const agent = await corridor.newAgent();
    const orders = [await agent.newOrder(), await agent.newOrder()];
    const exposure = async () => (await ownKey(agent)).exposure;
    expect(await exposure()).toEqual({ limit_usd: 25, used_usd: 20, left_usd: 5 });
    const { body } = await agent.pay();
    expect(body.error).toContain('with 20.00 USD unsettled it would exceed this agent’s limit of 25.00 USD');
    await expectStatus(201, agent.pay({ amount: 647.5 }));
    expect(await exposure()).toEqual({ limit_usd: 25, used_usd: 25, left_usd: 0 });
    await expectStatus(200, agent.cancel(orders[0] as number));
    expect(await exposure()).toEqual({ limit_usd: 25, used_usd: 15, left_usd: 10 });
    await change(agent, { max_exposure_usd: 12 });
    expect(await exposure()).toEqual({ limit_usd: 12, used_usd: 15, left_usd: 0 });
    await change(agent, { max_exposure_usd: 0 });
    expect(await exposure()).toEqual({ limit_usd: null, used_usd: 15, left_usd: null });
  });
});
