import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { classicAddressToXAddress } from 'ripple-address-codec';
import type { TestLp } from '../support/parties.ts';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor({ worker: false });

const newTaker = () => corridor.newLp({ asset: false, collateral: 0 });
const register = (lp: TestLp, address: string, changes: Record<string, unknown> = {}) =>
  lp.call('POST', `/api/lp/${lp.key}/assets`, { symbol: 'usdt', chain: 'eth', address, ...changes });
const statusOf = async (...given: Parameters<typeof register>) => (await register(...given)).status;
const evmAddress = () => `0x${randomBytes(20).toString('hex')}`;
const owners = (address: string) =>
  corridor.db.query<{ lp_id: number }>(
    'owners',
    'select distinct lp_id from lp_asset where lower(address) = lower($1)',
    [address],
  );

describe('a receive address belongs to one LP per chain', () => {
  test('in any letter case', async () => {
    const [owner, other, address] = [await newTaker(), await newTaker(), evmAddress()];
    expect(await statusOf(owner, address)).toBe(201);
    for (const spelling of [address, `0x${address.slice(2).toUpperCase()}`, ` ${address.toUpperCase()} `]) {
      const answer = await register(other, spelling, { symbol: 'usdc' });
      expect(answer).toMatchObject({
        status: 409,
        body: { error: `${spelling.trim()} belongs to another LP on eth: register your own address` },
      });
      expect(answer.headers.get('x-error-code')).toBe('address_taken');
    }
    expect(await owners(address)).toEqual([{ lp_id: owner.id }]);
  });

  test('but case matters on case-sensitive chains', async () => {
    const address = `T${randomBytes(8).toString('hex')}a`;
    const trx = { chain: 'trx' };
    expect(await statusOf(await newTaker(), address, trx)).toBe(201);
    expect(await statusOf(await newTaker(), address.replace(/a$/, 'A'), trx)).toBe(201);
    expect(await statusOf(await newTaker(), address, trx)).toBe(409);
  });

  test('which may receive several tokens at it, and register it again', async () => {
    const [lp, address] = [await newTaker(), evmAddress()];
    expect(await statusOf(lp, address)).toBe(201);
    expect(await statusOf(lp, address, { symbol: 'usdc' })).toBe(201);
    expect(await statusOf(lp, address.toUpperCase())).toBe(201);
    expect(await statusOf(await newTaker(), address, { chain: 'base' })).toBe(201);
  });

  test('until the LP replaces it for the last of its tokens', async () => {
    const [owner, next, address] = [await newTaker(), await newTaker(), evmAddress()];
    for (const symbol of ['usdt', 'usdc']) expect(await statusOf(owner, address, { symbol })).toBe(201);
    expect(await statusOf(owner, evmAddress(), { symbol: 'usdt' })).toBe(201);
    expect(await statusOf(next, address)).toBe(409);
    expect(await statusOf(owner, evmAddress(), { symbol: 'usdc' })).toBe(201);
    // Claims that may have read it must have ended: see test/attacks/squatted-addresses.test.ts.
    expect(await statusOf(next, address)).toBe(409);
    await corridor.db.pool.query(
      "update lp_address set vacated_at = vacated_at - interval '1 minute' where receive_key = lower($1)",
      [address],
    );
    expect(await statusOf(next, address)).toBe(201);
    expect(await statusOf(owner, address)).toBe(409);
  });

  test('when twenty LPs register it at once, in several spellings', async () => {
    const [lps, address] = [await Promise.all(Array.from({ length: 20 }, newTaker)), evmAddress()];
    const spellings = [address, address.toUpperCase(), `0x${address.slice(2).toUpperCase()}`];
    const statuses = await Promise.all(
      lps.map((lp, i) => statusOf(lp, spellings[i % 3] as string, { symbol: i % 2 ? 'usdt' : 'usdc' })),
    );
    expect(statuses.sort()).toEqual([201, ...Array(19).fill(409)]);
    expect(await owners(address)).toHaveLength(1);
  });

  test('while one token is moved away from it and another is added at the same time', async () => {
    for (let round = 0; round < 10; round++) {
      const [lp, next, address] = [await newTaker(), await newTaker(), evmAddress()];
      expect(await statusOf(lp, address)).toBe(201);
      const both = await Promise.all([statusOf(lp, evmAddress()), statusOf(lp, address, { symbol: 'usdc' })]);
      expect(both).toEqual([201, 201]);
      expect(await statusOf(next, address)).toBe(409);
    }
  });

  test('which the database enforces, even for a direct insert', async () => {
    const [owner, other, address] = [await newTaker(), await newTaker(), evmAddress()];
    expect(await statusOf(owner, address)).toBe(201);
    const insert = `insert into lp_asset (lp_id, symbol, chain, address) values ($1, 'usdc', 'eth', $2)`;
    await expect(corridor.db.pool.query(insert, [other.id, address.toUpperCase()])).rejects.toMatchObject({
      constraint: 'lp_address_pkey',
    });
  });
});

describe('a destination tag in the sandbox', () => {
  const ACCOUNT = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh';
  const xrpl = (destination_tag?: number) => ({ chain: 'xrpl', destination_tag });

  test('makes a separate address of an account, which one of twenty LPs gets', async () => {
    const lps = await Promise.all(Array.from({ length: 20 }, newTaker));
    const xAddress = classicAddressToXAddress(ACCOUNT, 7, true);
    const statuses = await Promise.all(
      lps.map((lp, i) => (i % 2 ? statusOf(lp, ACCOUNT, xrpl(7)) : statusOf(lp, xAddress, xrpl()))),
    );
    expect(statuses.sort()).toEqual([201, ...Array(19).fill(409)]);
    expect(await statusOf(await newTaker(), ACCOUNT, xrpl(8))).toBe(201);
    expect(await statusOf(await newTaker(), ACCOUNT, xrpl(0))).toBe(201);
    expect(await statusOf(await newTaker(), ACCOUNT, xrpl())).toBe(201);
    expect(await statusOf(await newTaker(), ACCOUNT, xrpl())).toBe(409);
  });

  test.each([-1, 1.5, 4_294_967_296, '7'])('cannot be %p', async (tag) => {
    const answer = await register(await newTaker(), ACCOUNT, { chain: 'xrpl', destination_tag: tag });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { fieldErrors: { destination_tag: expect.anything() } } },
    });
  });

  test('needs a valid account', async () => {
    const answer = await register(await newTaker(), 'rMyLedgerAccount', xrpl(7));
    const reason = 'must be an account of xrpl to have a tag';
    expect(answer).toMatchObject({ status: 400, body: { error: { fieldErrors: { address: [reason] } } } });
  });

  test('of a simulated payment exists on xrpl only', async () => {
    const payment = { symbol: 'usdt', to: 'T', amount: 1, destination_tag: 7 };
    const pay = async (chain: string) =>
      corridor.anyone('POST', '/sandbox/transactions', { ...payment, chain });
    expect((await pay('xrpl')).status).toBe(201);
    expect((await pay('trx')).status).toBe(400);
  });
});

test.each([
  ['eth', `0x${'0'.repeat(40)}`],
  ['eth', '0x0'],
  ['base', '0x000000000000000000000000000000000000dEaD'],
  ['trx', 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb'],
  ['xrpl', 'rrrrrrrrrrrrrrrrrrrrrhoLvTp'],
])('on %s no LP receives at the burn address %s, not even in the sandbox', async (chain, address) => {
  expect(await register(await newTaker(), address, { chain })).toMatchObject({
    status: 400,
    body: { error: { fieldErrors: { address: [expect.stringMatching(/zero or burn address/)] } } },
  });
});
