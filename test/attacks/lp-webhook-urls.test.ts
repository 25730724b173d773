import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { eventually } from '../support/eventually.ts';
import { turnOn } from '../support/lp-receiver.ts';
import { INVALID_CALLBACKS } from '../support/private-urls.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** The URLs of LPs' webhooks, with private networks not allowed. */
const corridor = await useCorridor({ env: { WEBHOOK_ALLOW_PRIVATE: 'false' } });
let connections = 0;
const inside = createServer((_, response) => response.end()).on('connection', () => {
  connections += 1;
});
await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
const { port } = inside.address() as AddressInfo;
afterAll(() => void inside.close());

const lp = await corridor.newLp();

test.each(INVALID_CALLBACKS)('an LP’s webhooks refuse the URL %j', async (url) => {
  const { status, body } = await lp.call('POST', `/api/lp/${lp.key}/webhook`, { url });
  expect([status, Object.keys(body.error?.fieldErrors ?? {})]).toEqual([400, ['url']]);
});

test('a private address receives nothing, in any notation', async () => {
  const agent = await corridor.newAgent();
  for (const host of [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '[::ffff:7f00:1]',
    'localhost',
    'a@127.0.0.1',
  ]) {
    await turnOn(lp, `https://${host}:${port}/`);
    const id = await agent.newOrder();
    const delivery = await eventually(async () => {
      const path = `/api/admin/webhook-deliveries?order_id=${id}`;
      const { deliveries } = await expectStatus(200, corridor.admin('GET', path));
      return deliveries[0]?.state === 'exhausted' && deliveries[0];
    });
    const errors = delivery.attempts.map(({ error }: { error: string }) => error);
    expect(errors).toEqual(Array(3).fill('the address is not a public one'));
  }
  expect(connections).toBe(0);
});
