import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import {
  type Agent,
  adminDoes,
  claim,
  collateralOf,
  expireNow,
  fiatSent,
  lastTransition,
  newAgent,
  newLp,
  newOrder,
  newUnlimitedAgent,
  release,
  rowOf,
  statusOf,
  type TestLp,
} from '../support/actors.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { fileOf, HEADS, upload } from '../support/receipts.ts';
import { expectSoundWhenStill } from '../support/soundness.ts';

/** LPs and agents that follow every rule and still try to harm others. */
let corridor: TestCorridor;
let agent: Agent;
beforeAll(async () => {
  corridor = await startCorridor({ env: { STRIKE_COOL_DOWN: '1h' } });
  agent = await newUnlimitedAgent(corridor);
});
afterAll(async () => {
  await expectSoundWhenStill(corridor);
  await corridor.stop();
});

const PNG = fileOf(HEADS['image/png'], 500);
const dashboard = async (lp: TestLp) =>
  (await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/dashboard`))).lp;
const expire = (lp: TestLp, id: number) => expectStatus(200, expireNow(lp, id));

describe('LPs that claim only to read the recipient, and release immediately', () => {
  test('do not end the order, no matter how many there are', async () => {
    const honest = await newLp(corridor);
    const id = await newOrder(agent);
    for (let i = 0; i < 4; i++) {
      const lp = await newLp(corridor);
      await expectStatus(200, claim(lp, id));
      expect(await release(lp, id)).toMatchObject({ status: 200, body: { status: 'matched' } });
      expect(await dashboard(lp)).toMatchObject({ strikes: 0, free_releases_left: 2 });
    }
    await expectStatus(200, claim(honest, id));
    await expectStatus(200, fiatSent(honest, id));
  });

  test('can read at most four recipients before they cool down', async () => {
    const lp = await newLp(corridor);
    const seen: [number, number | null, number][] = [];
    for (let i = 0; i < 25; i++) {
      const id = await newOrder(agent);
      const { status } = await claim(lp, id);
      if (status === 200) await expectStatus(200, release(lp, id));
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
    const lp = await newLp(corridor);
    const ids = await Promise.all(Array.from({ length: 12 }, () => newOrder(agent)));
    for (const id of ids) await expectStatus(200, claim(lp, id));
    const answers = await Promise.all(ids.map((id) => release(lp, id)));
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
    expect(await dashboard(lp)).toMatchObject({ strikes: 9, free_releases_left: 0 });
  });
});

describe('an LP that has paid, uploaded its receipt, and reports the fiat too late', () => {
  async function withReceipt() {
    const lp = await newLp(corridor);
    const id = await newOrder(agent, { callback_url: corridor.receiver.url });
    await expectStatus(200, claim(lp, id));
    await expectStatus(201, upload(lp, id, PNG));
    return { lp, id };
  }

  test('keeps the order, gets no strike, and no other LP pays the recipient again', async () => {
    const { lp, id } = await withReceipt();
    await expire(lp, id);
    const reason = 'The LP uploaded a receipt, but did not report the fiat as sent in time';
    expect(await rowOf(corridor.admin, id)).toMatchObject({
      ...{ status: 'disputed', lp_id: lp.id, status_reason: reason, timeout_at: null },
    });
    expect(await lastTransition(corridor.admin, id)).toMatchObject({ actor: 'service', cause: 'deadline' });
    await corridor.receiver.next(({ body }) => body.order_id === id && body.status === 'disputed');
    expect(await dashboard(lp)).toMatchObject({ strikes: 0, cooling_down_until: null });
    expect((await claim(await newLp(corridor), id)).status).toBe(409);
    expect((await collateralOf(corridor, lp)).locked).toBe(10);
    // An admin decides, here that the LP has paid.
    await expectStatus(200, adminDoes(corridor.admin, 'resolve', id, { outcome: 'completed' }));
    expect(await statusOf(agent, id)).toBe('completed');
  });

  test('can still report the fiat before the deadline', async () => {
    const { lp, id } = await withReceipt();
    await expectStatus(200, fiatSent(lp, id));
    expect(await statusOf(agent, id)).toBe('fiat_sent');
  });

  test('cannot release the order to another LP', async () => {
    const { lp, id } = await withReceipt();
    const refused = await release(lp, id);
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([409, 'receipt_uploaded']);
    expect(await dashboard(lp)).toMatchObject({ strikes: 0, free_releases_left: 3 });
    expect(await statusOf(agent, id)).toBe('claimed');
  });

  test('gets a strike if it uploads only after the deadline', async () => {
    const lp = await newLp(corridor);
    const id = await newOrder(await newAgent(corridor));
    await expectStatus(200, claim(lp, id));
    await expire(lp, id);
    // The upload is evidence. It does not become the order's receipt.
    await expectStatus(201, upload(lp, id, PNG));
    expect((await dashboard(lp)).strikes).toBe(1);
    expect(await rowOf(corridor.admin, id)).toMatchObject({ status: 'matched', receipt_url: null });
  });
});
