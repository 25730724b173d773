import { afterAll, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { startCorridor } from '../support/corridor.ts';
import type { TestLp } from '../support/parties.ts';
import { fileOf, HEADS, upload } from '../support/receipts.ts';
import { expectSoundWhenStill } from '../support/soundness.ts';

/** LPs and agents that follow every rule and still try to harm others. */
const corridor = await startCorridor({ env: { STRIKE_COOL_DOWN: '1h' } });
const agent = await corridor.newUnlimitedAgent();
afterAll(async () => {
  await expectSoundWhenStill(corridor);
  await corridor.stop();
});

const PNG = fileOf(HEADS['image/png'], 500);
const dashboard = async (lp: TestLp) =>
  (await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/dashboard`))).lp;
const expire = (lp: TestLp, id: number) => expectStatus(200, lp.expireNow(id));

describe('LPs that claim only to read the recipient, and release immediately', () => {
  test('do not end the order, no matter how many there are', async () => {
    const honest = await corridor.newLp();
    const id = await agent.newOrder();
    for (let i = 0; i < 4; i++) {
      const lp = await corridor.newLp();
      await expectStatus(200, lp.claim(id));
      expect(await lp.release(id)).toMatchObject({ status: 200, body: { status: 'matched' } });
      expect(await dashboard(lp)).toMatchObject({ strikes: 0, free_releases_left: 2 });
    }
    await expectStatus(200, honest.claim(id));
    await expectStatus(200, honest.fiatSent(id));
  });

  test('can read at most four recipients before they cool down', async () => {
    const lp = await corridor.newLp();
    const seen: [number, number | null, number][] = [];
    for (let i = 0; i < 25; i++) {
      const id = await agent.newOrder();
      const { status } = await lp.claim(id);
      if (status === 200) await expectStatus(200, lp.release(id));
      const { free_releases_left, strikes } = await dashboard(lp);
      seen.push([status, free_releases_left, strikes]);
    }
    expect(seen).toEqual([
      [200, 2, 0],
      [200, 1, 0],
      [200, 0, 0],
      [200, 0, 1],
      ...Array(21).fill([409, 0, 1]),
    ]);
  });

  test('get no extra free releases by releasing all orders at the same time', async () => {
    const lp = await corridor.newLp();
    const ids = await Promise.all(Array.from({ length: 12 }, () => agent.newOrder()));
    for (const id of ids) await expectStatus(200, lp.claim(id));
    const answers = await Promise.all(ids.map((id) => lp.release(id)));
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
    expect(await dashboard(lp)).toMatchObject({ strikes: 9, free_releases_left: 0 });
  });
});

describe('an LP that has paid, uploaded its receipt, and reports the fiat too late', () => {
  async function withReceipt() {
    const lp = await corridor.newLp();
    const id = await agent.newOrder({ callback_url: corridor.receiver.url });
    await expectStatus(200, lp.claim(id));
    await expectStatus(201, upload(lp, id, PNG));
    return { lp, id };
  }

  test('keeps the order, gets no strike, and no other LP pays the recipient again', async () => {
    const { lp, id } = await withReceipt();
    await expire(lp, id);
    const reason = 'The LP uploaded a receipt, but did not report the fiat as sent in time';
    expect(await corridor.rowOf(id)).toMatchObject({
      ...{ status: 'disputed', lp_id: lp.id, status_reason: reason, timeout_at: null },
    });
    expect(await corridor.lastTransition(id)).toMatchObject({ actor: 'service', cause: 'deadline' });
    await corridor.receiver.next(({ body }) => body.order_id === id && body.status === 'disputed');
    expect(await dashboard(lp)).toMatchObject({ strikes: 0, cooling_down_until: null });
    expect((await (await corridor.newLp()).claim(id)).status).toBe(409);
    expect((await corridor.collateralOf(lp)).locked).toBe(10);
    // An admin decides, here that the LP has paid.
    await expectStatus(200, corridor.adminDoes('resolve', id, { outcome: 'completed' }));
    expect(await agent.statusOf(id)).toBe('completed');
  });

  test('can still report the fiat before the deadline', async () => {
    const { lp, id } = await withReceipt();
    await expectStatus(200, lp.fiatSent(id));
    expect(await agent.statusOf(id)).toBe('fiat_sent');
  });

  test('cannot release the order to another LP', async () => {
    const { lp, id } = await withReceipt();
    const refused = await lp.release(id);
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([409, 'receipt_uploaded']);
    expect(await dashboard(lp)).toMatchObject({ strikes: 0, free_releases_left: 3 });
    expect(await agent.statusOf(id)).toBe('claimed');
  });

  test('gets a strike if it uploads only after the deadline', async () => {
    const lp = await corridor.newLp();
    const id = await (await corridor.newAgent()).newOrder();
    await expectStatus(200, lp.claim(id));
    await expire(lp, id);
    // The upload is evidence. It does not become the order's receipt.
    await expectStatus(201, upload(lp, id, PNG));
    expect((await dashboard(lp)).strikes).toBe(1);
    expect(await corridor.rowOf(id)).toMatchObject({ status: 'matched', receipt_url: null });
  });
});
