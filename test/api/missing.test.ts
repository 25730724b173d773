import { expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { documentedRoutes } from '../support/route-table.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** A 404 names what does not exist, and where to look. Agents get the contract's text, which shows nothing of others. */
const corridor = await useCorridor({ worker: false });
const UNKNOWN = '999999';

test('every list that a refusal of an admin names exists', async () => {
  const routes = await documentedRoutes(corridor.anyone);
  const named = routes
    .map(({ path }) => path)
    .filter((path) => path.startsWith('/api/admin/') && path.includes('/{'))
    .map((path) => path.slice(0, path.indexOf('/{')));
  const lists = routes.filter(({ method }) => method === 'GET').map(({ path }) => path);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !lists.includes(path))).toEqual([]);
});

test.each([
  ['GET', `/api/admin/orders/${UNKNOWN}`, `There is no order ${UNKNOWN}: GET /api/admin/orders lists them`],
  [
    'DELETE',
    `/api/admin/agent-keys/${UNKNOWN}`,
    `There is no agent key ${UNKNOWN}: GET /api/admin/agent-keys lists them`,
  ],
  [
    'DELETE',
    `/api/admin/pauses/${UNKNOWN}`,
    `There is no pause ${UNKNOWN}: GET /api/admin/pauses lists them`,
  ],
  [
    'POST',
    `/api/admin/admins/${UNKNOWN}/rotate`,
    `There is no admin ${UNKNOWN}: GET /api/admin/admins lists them`,
  ],
  [
    'POST',
    `/api/admin/approvals/${UNKNOWN}/approve`,
    `There is no proposal ${UNKNOWN}: GET /api/admin/approvals lists them`,
  ],
  [
    'POST',
    `/api/admin/bulk-runs/${UNKNOWN}/stop`,
    `There is no bulk run ${UNKNOWN}: GET /api/admin/bulk-runs lists them`,
  ],
  ['DELETE', '/api/admin/admins/ada', 'Not found: the id in the path must be a positive whole number'],
])('an admin reads of %s %s what does not exist', async (method, path, error) => {
  expect(await corridor.admin(method, path, method === 'POST' ? {} : undefined)).toMatchObject({
    ...{ status: 404, body: { error } },
  });
});

test('an admin reads that a key which has ended for good cannot be rotated', async () => {
  const person = { name: 'Gone', role: 'viewer' };
  const { id } = await expectStatus(201, corridor.admin('POST', '/api/admin/admins', person));
  await expectStatus(200, corridor.admin('DELETE', `/api/admin/admins/${id}`));
  const { status, body } = await corridor.admin('POST', `/api/admin/admins/${id}/rotate`, {});
  expect([status, body.error]).toEqual([404, `Admin ${id} is deactivated for good: add the person again`]);
});

test('an LP reads what it does not have', async () => {
  const lp = await corridor.newLp();
  expect((await lp.call('POST', `/api/orders/${UNKNOWN}/claim`)).body.error).toBe(
    `There is no order ${UNKNOWN}`,
  );
  const confirm = `/api/lp/${lp.key}/collateral/${UNKNOWN}/confirm`;
  expect((await lp.call('POST', confirm, {})).body.error).toBe(`You have no deposit ${UNKNOWN}`);
});

test('an agent reads the same about an order that does not exist and about that of another agent', async () => {
  await corridor.newLp();
  const [agent, other] = [await corridor.newAgent(), await corridor.newAgent()];
  const foreign = await other.newOrder();
  for (const id of [UNKNOWN, foreign])
    expect(await agent.call('GET', `/api/v1/status/${id}`)).toMatchObject({
      ...{ status: 404, body: { error: 'Not found' } },
    });
});
