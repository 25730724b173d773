import { test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { claim, newAgent, newLp, newOrder } from '../support/actors.ts';
import { corridorForFile } from '../support/file-corridor.ts';

const corridor = await corridorForFile();

test('x', async () => {
  const made = await expectStatus(201, corridor.admin('POST', '/api/admin/admins', { name: 'Ann', role: 'risk', allowed_ips: ['127.0.0.9/8'] }));
  const ann = corridor.as(made.api_key);
  const lp = await newLp(corridor, {});
  await expectStatus(200, ann('POST', `/api/admin/lps/${lp.id}/suspend`));
  await ann('POST', '/api/admin/agent-keys', {});
  const agent = await newAgent(corridor);
  const lp2 = await newLp(corridor, {});
  const id = await newOrder(agent);
  await expectStatus(200, claim(lp2, id));
  await expectStatus(200, corridor.admin('POST', `/api/admin/orders/${id}/freeze`, { reason: 'look' }));
  const { events } = await expectStatus(200, ann('GET', '/api/admin/audit?limit=100'));
  console.log(events.map((e: object) => JSON.stringify(e)).join('\n'));
});
