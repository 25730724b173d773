import { describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { startCorridor } from '../support/corridor.ts';
import { eventuallyEquals } from '../support/eventually.ts';
import { connectFeed } from '../support/feed-client.ts';
import type { TestLp } from '../support/parties.ts';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor();
const agent = await corridor.newAgent();

const byItself = (lp: TestLp, body: object = {}) => lp.call('POST', `/api/lp/${lp.key}/rotate`, body);
const byAdmin = (lp: TestLp, body: object = {}) =>
  corridor.admin('POST', `/api/admin/lps/${lp.id}/rotate`, body);
/** Returns how the API treats a secret. */
const tried = async (key: string) => (await corridor.as(key)('GET', `/api/lp/${key}/balance`)).status;
const [WORKS, REFUSED] = [200, 401];

describe.each([
  ['by itself', byItself],
  ['by an admin', byAdmin],
])('an LP’s key, rotated %s', (_, rotate) => {
  test('has a new secret, and keeps the old one for another day', async () => {
    const lp = await corridor.newLp();
    const body = await expectStatus(201, rotate(lp));
    expect(body).toEqual({
      lp_id: lp.id,
      lp_key: expect.stringMatching(/^lp_[0-9a-f]{48}$/),
      warning: expect.any(String),
      old_key_expires_at: expect.any(String),
    });
    const hours = (Date.parse(body.old_key_expires_at) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23);
    expect(hours).toBeLessThan(25);
    expect(body.lp_key).not.toBe(lp.key);
    expect([await tried(lp.key), await tried(body.lp_key)]).toEqual([WORKS, WORKS]);
  });

  test('keeps the LP’s collateral and orders, which continue with the new secret after the old one has expired', async () => {
    const lp = await corridor.newLp();
    const id = await agent.newOrder();
    await expectStatus(200, lp.claim(id));
    const before = await corridor.collateralOf(lp);
    const { lp_key } = await expectStatus(201, rotate(lp, { overlap: 0 }));
    await eventuallyEquals(() => tried(lp.key), REFUSED);
    const renewed = { ...lp, key: lp_key, call: corridor.as(lp_key) };
    expect(await corridor.collateralOf(renewed)).toEqual(before);
    expect((await lp.fiatSent(id)).status).toBe(401);
    await expectStatus(200, renewed.fiatSent(id));
  });

  test('opens the order feed with either secret until the old one has expired', async () => {
    const lp = await corridor.newLp();
    const { lp_key } = await expectStatus(201, rotate(lp));
    for (const key of [lp.key, lp_key]) {
      const feed = await connectFeed(corridor.config.publicUrl, { key });
      await feed.next('hello');
      await feed.close();
    }
    await expectStatus(201, rotate(lp, { overlap: 0 }));
    await eventuallyEquals(() => tried(lp.key), REFUSED);
    const refused = connectFeed(corridor.config.publicUrl, { key: lp.key });
    await expect(refused).rejects.toMatchObject({ status: 401 });
  });

  test('keeps its oldest secret through a second rotation, in case the first response was lost', async () => {
    const lp = await corridor.newLp();
    const second = (await expectStatus(201, rotate(lp))).lp_key;
    const third = (await expectStatus(201, rotate(lp))).lp_key;
    const all = () => Promise.all([lp.key, second, third].map(tried));
    expect(await all()).toEqual([WORKS, WORKS, WORKS]);
    await expectStatus(201, rotate(lp, { overlap: 0 }));
    await eventuallyEquals(async () => (await all()).join(), [REFUSED, REFUSED, REFUSED].join());
  });

  test('is stored as hashes', async () => {
    const lp = await corridor.newLp();
    const { lp_key } = await expectStatus(201, rotate(lp));
    const rows = await corridor.db.query('lp-row', 'select lp::text as row from lp where id = $1', [lp.id]);
    for (const key of [lp.key, lp_key]) expect(JSON.stringify(rows)).not.toContain(key.slice(3));
  });

  test.each(['soon', '366d', -1, null])('refuses the overlap %p', async (overlap) => {
    const lp = await corridor.newLp();
    const { status, body } = await rotate(lp, { overlap });
    expect([status, Object.keys(body.error.fieldErrors)]).toEqual([400, ['overlap']]);
    expect(await tried(lp.key)).toBe(WORKS);
  });
});

test('an unknown LP has no key to rotate', async () => {
  const answer = await corridor.admin('POST', '/api/admin/lps/999999/rotate', {});
  expect(answer).toMatchObject({
    status: 404,
    body: { error: 'There is no LP 999999: GET /api/admin/lps lists them' },
  });
});

test('a second admin key opens the same routes as the first, and a third key does not', async () => {
  const second = 'another-admin-key-of-some-length';
  const changing = await startCorridor({ env: { ADMIN_API_KEY_SECOND: second }, worker: false });
  try {
    const lp = await changing.newLp();
    for (const call of [changing.admin, changing.as(second)]) {
      await expectStatus(200, call('GET', '/api/admin/lps'));
      // Also on routes where the key is optional.
      expect((await call('GET', '/api/receipts/rcpt_none')).status).toBe(404);
    }
    await expectStatus(403, changing.as(`${second}!`)('GET', '/api/admin/lps'));
    await expectStatus(403, lp.call('GET', '/api/admin/lps'));
  } finally {
    await changing.stop();
  }
});
