import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { expectStatus } from '../../dev/http-client.ts';
import { duringStatement } from '../support/during-statement.ts';
import { eventually } from '../support/eventually.ts';
import type { TestLp } from '../support/parties.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** Somebody registers addresses that belong to others, which Corridor cannot verify. Anybody may register as an LP. */
const corridor = await useCorridor({ env: { LP_AUTO_APPROVE: 'false' } });

const newAddress = () => `T${randomBytes(16).toString('hex')}`;
const newPending = () => corridor.newLp({ asset: false });
const decide = (lp: TestLp, verb: 'approve' | 'suspend') =>
  corridor.admin('POST', `/api/admin/lps/${lp.id}/${verb}`, {});
async function newApproved(address?: string): Promise<TestLp> {
  const lp = await newPending();
  if (address) await expectStatus(201, register(lp, address));
  await expectStatus(200, decide(lp, 'approve'));
  return { ...lp, address: address ?? lp.address };
}
const register = (lp: TestLp, address: string, changes: Record<string, unknown> = {}) =>
  lp.call('POST', `/api/lp/${lp.key}/assets`, { symbol: 'usdt', chain: 'trx', address, ...changes });
const registered = async (lp: TestLp, address: string) => (await register(lp, address)).status;
const takeAway = (lp: TestLp, address: string, changes: Record<string, unknown> = {}) =>
  corridor.admin('POST', `/api/admin/lps/${lp.id}/addresses/release`, {
    ...{ chain: 'trx', address, reason: 'Its owner has shown a signature' },
    ...changes,
  });
/** As if so much time had passed since the address was given up. */
const age = (address: string, time: string) =>
  corridor.sql('update lp_address set vacated_at = vacated_at - $2::interval where receive_key = $1', [
    address,
    time,
  ]);
const holder = async (address: string) =>
  (await corridor.sql('select lp_id from lp_address where receive_key = $1', [address])).map(
    ({ lp_id }) => lp_id,
  );

async function claimedOrder(lp: TestLp): Promise<number> {
  const id = await (await corridor.newAgent()).newOrder();
  await expectStatus(200, lp.claim(id));
  return id;
}
describe('an LP that was never approved', () => {
  test('does not keep an address from an approved LP, nor from one that an admin approves', async () => {
    const [squatter, owner, later, address, other] = [
      ...[await newPending(), await newApproved(), await newPending()],
      ...[newAddress(), newAddress()],
    ] as [TestLp, TestLp, TestLp, string, string];
    for (const one of [address, other]) expect(await registered(squatter, one)).toBe(201);
    expect(await registered(owner, address)).toBe(201);
    expect(await registered(later, other)).toBe(201);
    await expectStatus(200, decide(later, 'approve'));
    expect([await holder(address), await holder(other)]).toEqual([[owner.id], [later.id]]);
    // The owner gets the orders that are paid there.
    const id = await claimedOrder(owner);
    expect(await corridor.sql('select lp_receive_address from orders where id = $1', [id])).toEqual([
      { lp_receive_address: address },
    ]);
  });

  test('is not approved with an address of another LP, and is with another', async () => {
    const [squatter, owner, address] = [await newPending(), await newApproved(), newAddress()];
    expect(await registered(squatter, address)).toBe(201);
    expect(await registered(owner, address)).toBe(201);
    const refused = await decide(squatter, 'approve');
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([409, 'address_taken']);
    expect(refused.body.error).toContain(`${address} on trx belongs to LP ${owner.id}`);
    expect(await corridor.sql('select status from lp where id = $1', [squatter.id])).toEqual([
      { status: 'pending' },
    ]);
    expect(await registered(squatter, newAddress())).toBe(201);
    await expectStatus(200, decide(squatter, 'approve'));
  });

  test('cannot register an address of an approved LP, in any spelling', async () => {
    const [owner, squatter] = [await newApproved(), await newPending()];
    const address = `0x${randomBytes(20).toString('hex')}`;
    const asset = { chain: 'eth', symbol: 'usdc' };
    await expectStatus(201, register(owner, address, asset));
    expect((await register(squatter, address.toUpperCase().replace('0X', '0x'), asset)).status).toBe(409);
  });

  test('gets an address once, when ten of them are approved at the same time', async () => {
    const address = newAddress();
    const lps = await Promise.all(Array.from({ length: 10 }, newPending));
    for (const lp of lps) expect(await registered(lp, address)).toBe(201);
    const statuses = (await Promise.all(lps.map((lp) => decide(lp, 'approve')))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, ...Array(9).fill(409)]);
    expect(
      await corridor.sql("select count(*)::int as n from lp where id = any($1) and status = 'approved'", [
        lps.map(({ id }) => id),
      ]),
    ).toEqual([{ n: 1 }]);
  });

  test('holds the address that it registers while it is approved', async () => {
    const [lp, other, address] = [await newPending(), await newApproved(), newAddress()];
    const asset = await duringStatement(
      corridor,
      "update lp set status = 'approved' where id = $1",
      [lp.id],
      () => register(lp, address),
    );
    expect(asset.status).toBe(201);
    expect(await holder(address)).toEqual([lp.id]);
    expect(await registered(other, address)).toBe(409);
  });

  test('holds an address that any other statement gives it while it is approved', async () => {
    const [lp, address] = [await newPending(), newAddress()];
    await duringStatement(corridor, "update lp set status = 'approved' where id = $1", [lp.id], () =>
      corridor.sql(`insert into lp_asset (lp_id, symbol, chain, address) values ($1, 'usdt', 'trx', $2)`, [
        lp.id,
        address,
      ]),
    );
    expect(await holder(address)).toEqual([lp.id]);
  });
});

describe('an address that an LP has given up', () => {
  test('stays the LP’s while an order is paid there, and for 30 days afterwards', async () => {
    const address = newAddress();
    const [owner, next] = [await newApproved(address), await newApproved()];
    const id = await claimedOrder(owner);
    expect(await registered(owner, newAddress())).toBe(201);
    await age(address, '31 days');
    expect(await registered(next, address)).toBe(409);
    const end = `update orders set status = 'cancelled', timeout_at = null, cancelled_at = now() - $2::interval where id = $1`;
    await corridor.sql(end, [id, '29 days 23 hours']);
    expect(await registered(next, address)).toBe(409);
    await corridor.sql(end, [id, '30 days 1 hour']);
    expect(await registered(next, address)).toBe(201);
    expect(await registered(owner, address)).toBe(409);
  });

  /** `begin`: starts the transaction of a claim in another session. */
  const expectKeptDuring = async (url: string, begin: string) => {
    const address = newAddress();
    const [owner, next] = [await newApproved(address), await newApproved()];
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await client.query(begin);
      await client.query('select 1');
      expect(await registered(owner, newAddress())).toBe(201);
      expect(await registered(next, address)).toBe(409);
      // The minute is over, and the statement of before still runs.
      await corridor.sql(
        "update lp_address set vacated_at = now() - interval '1 minute' where receive_key = $1",
        [address],
      );
      expect(await registered(next, address)).toBe(409);
    } finally {
      await client.end();
    }
    await eventually(async () => (await registered(next, address)) === 201);
  };

  test('stays the LP’s until every claim that may have read it has ended', () =>
    expectKeptDuring(corridor.shared.databaseUrl, 'begin'));

  // As during a change of the service's password. PostgreSQL does not show when a statement of another role began.
  test('stays the LP’s until every claim of another role has ended', () =>
    expectKeptDuring(corridor.databaseUrl, 'begin isolation level repeatable read'));

  test('can be registered again by the LP that gave it up', async () => {
    const address = newAddress();
    const owner = await newApproved(address);
    await claimedOrder(owner);
    expect(await registered(owner, newAddress())).toBe(201);
    expect(await registered(owner, address)).toBe(201);
    await age(address, '31 days');
    expect(await registered(await newApproved(), address)).toBe(409);
  });
});

describe('an address that an admin takes from an LP', () => {
  test('is free for its owner after a minute, and the LP cannot register it again', async () => {
    const [address, kept] = [newAddress(), newAddress()];
    const squatter = await newApproved(address);
    await expectStatus(201, register(squatter, kept, { symbol: 'usdc' }));
    await expectStatus(201, register(squatter, address, { symbol: 'trx' }));
    const released = await expectStatus(200, takeAway(squatter, address));
    expect(released).toMatchObject({ ok: true, symbols: ['trx', 'usdt'], free_at: expect.any(String) });
    expect(Date.parse(released.free_at) - Date.now()).toBeLessThanOrEqual(60_000);
    for (const symbol of ['usdt', 'usdc']) {
      const refused = await register(squatter, address, { symbol });
      expect([refused.status, refused.body.error]).toEqual([
        409,
        expect.stringMatching(/an admin has taken it/),
      ]);
    }
    // The same call again takes nothing more, and answers the same.
    expect(await expectStatus(200, takeAway(squatter, address))).toMatchObject({ symbols: ['trx', 'usdt'] });
    await age(address, '61 seconds');
    const owner = await newPending();
    expect(await registered(owner, address)).toBe(201);
    await expectStatus(200, decide(owner, 'approve'));
    expect([await holder(address), await holder(kept)]).toEqual([[owner.id], [squatter.id]]);
    expect(
      await corridor.sql('select lp_id, reason from address_release where receive_key = $1', [address]),
    ).toEqual([{ lp_id: squatter.id, reason: 'Its owner has shown a signature' }]);
  });

  test('gets no new order, and stays the LP’s while an order is paid there', async () => {
    const address = newAddress();
    const squatter = await newApproved(address);
    const agent = await corridor.newAgent();
    const id = await claimedOrder(squatter);
    const open = await agent.newOrder();
    expect(await expectStatus(200, takeAway(squatter, address))).toMatchObject({ free_at: null });
    expect((await squatter.claim(open)).headers.get('x-error-code')).toBe('no_receive_address');
    await age(address, '31 days');
    const owner = await newApproved();
    expect(await registered(owner, address)).toBe(409);
    expect((await squatter.call('GET', `/api/orders/${id}`)).body.lp_receive_address).toBe(address);
    await expectStatus(200, agent.cancel(open));
  });

  test('also of an LP that registers it for another token at the same time', async () => {
    const address = newAddress();
    const squatter = await newApproved(address);
    const insert = "insert into lp_asset (lp_id, symbol, chain, address) values ($1, 'usdc', 'trx', $2)";
    const released = await duringStatement(corridor, insert, [squatter.id, address], () =>
      takeAway(squatter, address),
    );
    expect(released.body.symbols).toEqual(['usdc', 'usdt']);
    expect(await corridor.sql('select symbol from lp_asset where receive_key = $1', [address])).toEqual([]);
  });

  test('is found with all LPs that have it', async () => {
    const address = newAddress();
    const [squatter, owner] = [await newPending(), await newApproved()];
    for (const lp of [squatter, owner]) expect(await registered(lp, address)).toBe(201);
    const found = async () =>
      (await expectStatus(200, corridor.admin('GET', `/api/admin/lp-addresses?chain=trx&address=${address}`)))
        .lps;
    const taken = { symbols: ['usdt'], pending_symbols: [], free_at: null };
    const both = [
      { lp_id: owner.id, status: 'approved', ...taken, holds: true },
      { lp_id: squatter.id, status: 'pending', ...taken, holds: false },
    ];
    expect(await found()).toEqual(both);
    await expectStatus(200, takeAway(owner, address));
    expect(await found()).toMatchObject([{ ...both[0], symbols: [], free_at: expect.any(String) }, both[1]]);
    expect(await expectStatus(200, takeAway(squatter, address))).toMatchObject({ symbols: ['usdt'] });
  });

  test('must be the LP’s, and only an admin may take it', async () => {
    const address = newAddress();
    const [owner, other] = [await newApproved(address), await newApproved()];
    expect((await takeAway(other, address)).status).toBe(404);
    expect((await takeAway({ ...owner, id: 999_999 }, address)).status).toBe(404);
    const path = `/api/admin/lps/${owner.id}/addresses/release`;
    const body = { chain: 'trx', address, reason: 'mine' };
    for (const call of [owner.call, other.call, corridor.anyone])
      expect((await call('POST', path, body)).status).toBe(403);
    expect(await holder(address)).toEqual([owner.id]);
  });
});

test('the list of the LPs that have an address needs both its chain and its address', async () => {
  for (const query of ['', '?chain=trx', '?chain=nowhere&address=T1'])
    expect((await corridor.admin('GET', `/api/admin/lp-addresses${query}`)).status).toBe(400);
});
