import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { duringStatement } from '../support/during-statement.ts';
import { eventually } from '../support/eventually.ts';
import { startLpReceiver, turnOn } from '../support/lp-receiver.ts';
import type { TestLp } from '../support/parties.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** The thief of an LP's key wants the LP's next payments at an address of its own before `ADDRESS_HOLD` has passed. */
const corridor = await useCorridor({ env: { ADDRESS_HOLD: '24h' } });
const HOLD_MS = 24 * 3_600_000;

const newAddress = () => `T${randomBytes(16).toString('hex')}`;
const newEvmAddress = () => `0x${randomBytes(20).toString('hex')}`;
const inCapitals = (address: string) => address.toUpperCase().replace('0X', '0x');
const register = (lp: TestLp, address: string, token: Record<string, unknown> = {}) =>
  lp.call('POST', `/api/lp/${lp.key}/assets`, { symbol: 'usdt', chain: 'trx', address, ...token });
const heldUntil = async (lp: TestLp, address: string, token: Record<string, unknown> = {}) =>
  Date.parse((await expectStatus(201, register(lp, address, token))).takes_effect_at);
const receiving = async (lp: TestLp) =>
  (await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/dashboard`))).assets;
const takeAway = (lp: TestLp, address: string) =>
  corridor.admin('POST', `/api/admin/lps/${lp.id}/addresses/release`, {
    ...{ chain: 'trx', address, reason: 'Its owner has shown a signature' },
  });

/** As if so much time had passed since the LP's changes. */
async function age(lp: TestLp, time: string): Promise<void> {
  for (const change of [
    'lp_asset set previous_until = previous_until',
    'lp_address set vacated_at = vacated_at',
  ])
    await corridor.db.pool.query(`update ${change} - $2::interval where lp_id = $1`, [lp.id, time]);
}

/** Where the payer of an order that the LP claims now pays. */
async function payingAt(lp: TestLp): Promise<string> {
  const agent = await corridor.newAgent();
  const id = await agent.newOrder();
  const { lp_receive_address: answered } = await expectStatus(200, lp.claim(id));
  const { lp_receive_address: address } = await expectStatus(200, agent.call('GET', `/api/orders/${id}`));
  expect(answered).toBe(address);
  return address;
}

describe('claims go on with the previous address', () => {
  test('until the time that the response names has passed by the database’s clock', async () => {
    const [lp, stolen] = [await corridor.newLp(), newAddress()];
    const until = await heldUntil(lp, stolen);
    expect(Math.abs(until - Date.now() - HOLD_MS)).toBeLessThan(600_000);
    expect(await payingAt(lp)).toBe(lp.address);
    await age(lp, '23 hours 50 minutes');
    expect(await payingAt(lp)).toBe(lp.address);
    await age(lp, '11 minutes');
    expect(await payingAt(lp)).toBe(stolen);
    expect(await receiving(lp)).toMatchObject([{ address: stolen, pending: null }]);
  });

  test('when the thief changes it twice, and each change starts the time again', async () => {
    const [lp, first, second] = [await corridor.newLp(), newAddress(), newAddress()];
    await heldUntil(lp, first);
    await age(lp, '23 hours');
    const until = await heldUntil(lp, second);
    expect(until - Date.now()).toBeGreaterThan(HOLD_MS - 600_000);
    await age(lp, '2 hours');
    expect(await payingAt(lp)).toBe(lp.address);
    expect(await receiving(lp)).toMatchObject([{ address: lp.address, pending: { address: second } }]);
  });

  test('when the thief sends twenty changes at once', async () => {
    const lp = await corridor.newLp();
    const stolen = Array.from({ length: 10 }, newAddress);
    const answers = await Promise.all([...stolen, ...stolen].map((address) => register(lp, address)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
    expect(answers.map(({ body }) => body.takes_effect_at)).toEqual(Array(20).fill(expect.any(String)));
    expect(await payingAt(lp)).toBe(lp.address);
    const [{ pending }] = await receiving(lp);
    expect(stolen).toContain(pending.address);
    // Only the last one is still the LP's, so the others are free for their owners.
    const held = 'select count(*)::int as n from lp_address where lp_id = $1 and vacated_at is null';
    expect((await corridor.db.pool.query(held, [lp.id])).rows).toEqual([{ n: 1 }]);
  });

  test('when the change begins before another one has committed', async () => {
    const [lp, stolen] = [await corridor.newLp(), newAddress()];
    const touch = 'update lp_asset set address = address where lp_id = $1';
    const answer = await duringStatement(corridor, touch, [lp.id], () => register(lp, stolen));
    expect(answer.body.takes_effect_at).toEqual(expect.any(String));
    expect(await payingAt(lp)).toBe(lp.address);
  });

  test('in another spelling, which is the same address and neither shortens nor restarts the time', async () => {
    const lp = await corridor.newLp();
    const [own, stolen] = [newEvmAddress(), newEvmAddress()];
    const token = { symbol: 'usdc', chain: 'eth' };
    expect((await register(lp, own, token)).body).toEqual({ ok: true });
    expect((await register(lp, inCapitals(own), token)).body).toEqual({ ok: true });
    await heldUntil(lp, stolen, token);
    await age(lp, '1 hour');
    const until = await heldUntil(lp, inCapitals(stolen), token);
    expect(until - Date.now()).toBeLessThan(HOLD_MS - 3_000_000);
    expect((await receiving(lp))[0]).toMatchObject({ address: own, pending: { address: stolen } });
    // The previous address in other letters cancels the change, and the next change waits the whole time.
    expect((await register(lp, inCapitals(own), token)).body).toEqual({ ok: true });
    expect((await receiving(lp))[0]).toMatchObject({ address: inCapitals(own), pending: null });
    expect((await heldUntil(lp, stolen, token)) - Date.now()).toBeGreaterThan(HOLD_MS - 600_000);
  });
});

test('an order that was claimed during the hold keeps its address', async () => {
  const [lp, agent] = [await corridor.newLp(), await corridor.newAgent()];
  const id = await agent.newOrder();
  await heldUntil(lp, newAddress());
  await expectStatus(200, lp.claim(id));
  await age(lp, '25 hours');
  expect((await agent.call('GET', `/api/orders/${id}`)).body.lp_receive_address).toBe(lp.address);
});

test('the LP cancels the change by registering its address again, at once', async () => {
  const [lp, stolen] = [await corridor.newLp(), newAddress()];
  await heldUntil(lp, stolen);
  expect((await register(lp, lp.address)).body).toEqual({ ok: true });
  await age(lp, '25 hours');
  expect(await payingAt(lp)).toBe(lp.address);
  // The stolen address is free for its owner.
  expect((await register(await corridor.newLp(), stolen)).status).toBe(201);
});

describe('both addresses are the LP’s during the hold', () => {
  test('another LP can register neither, and afterwards only the previous one', async () => {
    const [lp, other, next] = [await corridor.newLp(), await corridor.newLp(), newAddress()];
    await heldUntil(lp, next);
    await age(lp, '23 hours');
    for (const address of [lp.address, next]) expect((await register(other, address)).status).toBe(409);
    // A further change keeps the previous address, and gives the one in between up.
    const last = newAddress();
    await heldUntil(lp, last);
    await age(lp, '2 hours');
    expect((await register(other, lp.address)).status).toBe(409);
    expect((await register(other, next)).status).toBe(201);
    await age(lp, '23 hours');
    expect((await register(other, last)).status).toBe(409);
    expect((await register(other, lp.address)).status).toBe(201);
  });

  test('one of two LPs that register the same address at the same time gets it', async () => {
    const [lps, wanted] = [await Promise.all([corridor.newLp(), corridor.newLp()]), newAddress()];
    const statuses = (await Promise.all(lps.map((lp) => register(lp, wanted)))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([201, 409]);
  });

  test('a token that still receives there keeps it', async () => {
    const [lp, next] = [await corridor.newLp(), newAddress()];
    await expectStatus(201, register(lp, lp.address, { symbol: 'usdc' }));
    await heldUntil(lp, next);
    await age(lp, '25 hours');
    expect((await register(await corridor.newLp(), lp.address)).status).toBe(409);
  });
});

describe('an admin takes', () => {
  test('the address that waits: the LP keeps its previous one, and cannot register the other again', async () => {
    const [lp, stolen] = [await corridor.newLp(), newAddress()];
    await heldUntil(lp, stolen);
    const path = `/api/admin/lp-addresses?chain=trx&address=${stolen}`;
    expect(await expectStatus(200, corridor.admin('GET', path))).toMatchObject({
      lps: [{ lp_id: lp.id, symbols: [], pending_symbols: ['usdt'], holds: true }],
    });
    expect(await expectStatus(200, takeAway(lp, stolen))).toMatchObject({ symbols: ['usdt'] });
    expect((await register(lp, stolen)).status).toBe(409);
    await age(lp, '25 hours');
    expect(await payingAt(lp)).toBe(lp.address);
    expect((await register(await corridor.newLp(), stolen)).status).toBe(201);
  });

  test('the previous address: the token has none', async () => {
    const lp = await corridor.newLp();
    await heldUntil(lp, newAddress());
    const path = `/api/admin/lp-addresses?chain=trx&address=${lp.address}`;
    expect(await expectStatus(200, corridor.admin('GET', path))).toMatchObject({
      lps: [{ lp_id: lp.id, symbols: ['usdt'], pending_symbols: [], holds: true }],
    });
    expect(await expectStatus(200, takeAway(lp, lp.address))).toMatchObject({ symbols: ['usdt'] });
    expect(await receiving(lp)).toEqual([]);
    await age(lp, '2 minutes');
    expect((await register(await corridor.newLp(), lp.address)).status).toBe(201);
  });
});

test('the webhook says when the change takes effect, and reports that it was cancelled', async () => {
  const [lp, receiver, next] = [await corridor.newLp(), await startLpReceiver(), newAddress()];
  try {
    await turnOn(lp, receiver.url);
    const until = await heldUntil(lp, next);
    await expectStatus(201, register(lp, next));
    await expectStatus(201, register(lp, lp.address));
    await eventually(async () => receiver.received.length === 2);
    const data = receiver.received.map(({ body }) => body.data);
    const changed = data.find(({ address }) => address === next);
    expect(changed).toMatchObject({
      previous_address: lp.address,
      takes_effect_at: new Date(until).toISOString(),
    });
    expect(data.find((one) => one !== changed)).toMatchObject({
      ...{ address: lp.address, previous_address: lp.address, takes_effect_at: null },
    });
  } finally {
    receiver.close();
  }
});

test('an LP that was never approved changes its address at once', async () => {
  const lp = await corridor.newLp({ asset: false });
  await corridor.db.pool.query(`update lp set status = 'pending', approved_at = null where id = $1`, [lp.id]);
  for (const address of [newAddress(), newAddress()])
    expect((await register(lp, address)).body).toEqual({ ok: true });
});
