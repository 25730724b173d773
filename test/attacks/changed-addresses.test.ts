import { afterAll, expect, test } from '@jest/globals';
import { verifyLpWebhook } from '../../client/src/index.ts';
import { expectStatus } from '../../dev/http-client.ts';
import { sandboxAddress } from '../../dev/registration.ts';
import { eventually } from '../support/eventually.ts';
import { startLpReceiver, turnOn } from '../support/lp-receiver.ts';
import type { TestLp } from '../support/parties.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** The thief of an LP's key moves the LP's payments to an address of its own: the LP must learn of it. */

const corridor = await useCorridor();

const receiver = await startLpReceiver();
afterAll(() => receiver.close());

const register = (lp: TestLp, address: string, symbol = 'usdt') =>
  expectStatus(201, lp.call('POST', `/api/lp/${lp.key}/assets`, { symbol, chain: 'trx', address }));
const announced = (address: string) =>
  receiver.received.filter(({ body }) => JSON.stringify(body.data).includes(`"address":"${address}"`));

test('the LP’s webhook reports another address, and the first one of a token, once each', async () => {
  const lp = await corridor.newLp();
  const secret = await turnOn(lp, receiver.url);
  const [stolen, first] = [sandboxAddress(), sandboxAddress()];
  await register(lp, stolen);
  await register(lp, stolen);
  await register(lp, first, 'usdc');
  // Webhooks of different events can overtake each other.
  const changed = await eventually(async () => announced(first).length > 0 && announced(stolen)[0]);
  const sql = `select from webhook_delivery where lp_id = $1 and lp_event = 'lp.address_changed'`;
  expect(await corridor.db.query('t-announced', sql, [lp.id])).toHaveLength(2);
  expect(verifyLpWebhook({ secret, body: changed.raw, headers: changed.headers })).toEqual({
    type: 'lp.address_changed',
    timestamp: expect.stringMatching(/Z$/),
    data: {
      ...{ symbol: 'usdt', chain: 'trx', address: stolen, destination_tag: null },
      ...{ previous_address: lp.address, previous_destination_tag: null, takes_effect_at: null },
    },
  });
  expect(announced(first)[0]?.body.data).toMatchObject({ symbol: 'usdc', previous_address: null });
});

test('no other LP learns of it, and an address that is refused is not reported', async () => {
  const [lp, other] = [await corridor.newLp(), await corridor.newLp()];
  const [own, others] = [await startLpReceiver(), await startLpReceiver()];
  try {
    await turnOn(lp, own.url);
    await turnOn(other, others.url);
    const body = { symbol: 'usdt', chain: 'trx', address: other.address };
    expect((await lp.call('POST', `/api/lp/${lp.key}/assets`, body)).status).toBe(409);
    await register(lp, sandboxAddress());
    await eventually(async () => own.received.length > 0);
    expect(own.received.map(({ body }) => body.data)).toMatchObject([{ previous_address: lp.address }]);
    expect(others.received).toEqual([]);
  } finally {
    own.close();
    others.close();
  }
});

test('the audit has the change, with the address before and after, and the caller', async () => {
  const lp = await corridor.newLp();
  const stolen = sandboxAddress();
  await register(lp, stolen);
  const { events } = await expectStatus(200, corridor.admin('GET', `/api/admin/audit?object=lp:${lp.id}`));
  expect(events[0]).toMatchObject({
    ...{ actor: `lp:${lp.id}`, action: 'POST /api/lp/:lp_key/assets', address: '127.0.0.1' },
    ...{ before: { address: lp.address }, after: { address: stolen } },
  });
});
