import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Address } from 'viem';
import { type EvmChain, type EvmToken, startEvmChain } from '../../../dev/evm-chain.ts';
import { type Answer, expectStatus } from '../../../dev/http-client.ts';
import { MOST_LIVE_DEPOSITS, MOST_LOOKUPS } from '../../../src/domain/deposit-status.ts';
import { decimal } from '../../../src/domain/money.ts';
import { confirmDeposit } from '../../../src/market/collateral/confirm-deposit.ts';
import { newLp, type TestLp } from '../../support/actors.ts';
import { startCorridor, type TestCorridor } from '../../support/corridor.ts';
import { eventually } from '../../support/eventually.ts';
import { countWaiting } from '../../support/waiting-statements.ts';

/** Only the LP that announced a deposit can get it credited, although its transaction is public. The tests use a real EVM node. */
let chain: EvmChain;
let usdc: EvmToken;
let payer: Address;
let platform: Address;
/** The amount of a transfer from an hour before the tests. */
const EARLY = 100.000042;
let early: string;
let corridor: TestCorridor;
let owner: TestLp;
let stranger: TestLp;

beforeAll(async () => {
  chain = await startEvmChain({ ageMs: 3_600_000 });
  [payer, platform] = chain.accounts as [Address, Address];
  usdc = await chain.deployToken('usdc', 6);
  await usdc.mint(payer, '1000000');
  early = await send(EARLY);
  await chain.finalise();
  await chain.client.request({ method: 'evm_setTime', params: [Math.ceil(Date.now() / 1_000)] } as never);
  corridor = await startCorridor({
    worker: false,
    env: {
      SANDBOX: 'true',
      CHAIN_BASE_RPC_URL: chain.rpcUrl,
      CHAIN_BASE_ID: String(chain.chainId),
      CHAIN_BASE_TOKENS: `usdc:${usdc.address}:6`,
      CHAIN_BASE_DEPOSIT_ADDRESS: platform,
    },
  });
  [owner, stranger] = [await newDepositor(), await newDepositor()];
});
afterAll(async () => {
  await corridor?.stop();
  await chain?.stop();
});
// Expired and confirmed announcements keep their amounts, which the next test may need.
afterEach(() => corridor.sql('delete from reserved_amount'));

const newDepositor = () => newLp(corridor, { asset: false, collateral: 0 });
const send = (amount: number) => usdc.transfer(payer, platform, String(amount));
const announce = (lp: TestLp, changes: Record<string, unknown> = {}) =>
  lp.call('POST', `/api/lp/${lp.key}/collateral/deposit`, {
    ...{ amount: 100, asset: 'usdc', chain: 'base' },
    ...changes,
  });
const announced = async (lp: TestLp, changes: Record<string, unknown> = {}) => {
  const { deposit_id, pay_to } = await expectStatus(200, announce(lp, changes));
  return { id: deposit_id as number, amount: pay_to.amount as number };
};
const confirm = (lp: TestLp, id: number, tx_hash?: string) =>
  lp.call('POST', `/api/lp/${lp.key}/collateral/${id}/confirm`, { tx_hash });
const balance = async (lp: TestLp): Promise<number> =>
  (await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/balance`))).balance.available;
/** Expires an announcement as if `days` had passed since its end. Its reserved amount expires earlier by the same time. */
const expire = (id: number, days = 0) =>
  corridor.sql(
    `with old as (
       select id, expires_at - now() + $2 * interval '1 day' as shift from collateral_deposit where id = $1
     ),
     ended as (update collateral_deposit d set expires_at = expires_at - shift from old where d.id = old.id)
     update reserved_amount r set expires_at = r.expires_at - shift from old where r.deposit_id = old.id`,
    [id, days],
  );

/** Reserves all amounts from 100 on for other announcements, except `free`: distances from 100 in the token's smallest unit. */
const reserveAllExcept = (free: number[]) =>
  corridor.sql(
    `insert into reserved_amount (chain, symbol, purpose, amount, deposit_id, expires_at)
     select 'base', 'usdc', 'deposit', 100 + n / 1000000.0, -1 - n, now() + interval '1 hour'
     from generate_series(0, 9999) n where n <> all ($1::int[])
     on conflict do nothing`,
    [free],
  );

describe('a stranger that sees the owner’s transaction', () => {
  test.each([
    ['before the owner', 'before', 100],
    ['after the owner', 'after', 100],
    ['before the owner, for the smallest amount', 'before', 0.000001],
    ['after the owner, for the smallest amount', 'after', 0.000001],
  ])('gets nothing by announcing and confirming it %s', async (_what, when, asked) => {
    const [ownerBefore, strangerBefore] = [await balance(owner), await balance(stranger)];
    const mine = await announced(owner);
    const tx_hash = await send(mine.amount);
    await chain.finalise();
    const steal = async () => {
      const named = await announced(stranger, { amount: asked, tx_hash });
      const later = await announced(stranger, { amount: asked });
      for (const answer of [await confirm(stranger, named.id), await confirm(stranger, later.id, tx_hash)]) {
        expect(answer).toMatchObject({
          status: 400,
          body: { error: expect.stringMatching(/not exactly/) },
        });
      }
      await Promise.all([expire(named.id), expire(later.id)]);
    };
    if (when === 'before') await steal();
    await expectStatus(200, confirm(owner, mine.id, tx_hash));
    if (when === 'after') await steal();
    expect(await balance(owner)).toBe(decimal(ownerBefore).plus(mine.amount).toNumber());
    expect(await balance(stranger)).toBe(strangerBefore);
  });

  test('gets nothing by confirming the owner’s announcement', async () => {
    const mine = await announced(owner);
    const hash = await send(mine.amount);
    await chain.finalise();
    expect((await confirm(stranger, mine.id, hash)).status).toBe(404);
    await expectStatus(200, confirm(owner, mine.id, hash));
  });

  test('gets nothing in a race of many with the owner', async () => {
    const strangers = await Promise.all(Array.from({ length: 7 }, newDepositor));
    const mine = await announced(owner);
    const tx_hash = await send(mine.amount);
    await chain.finalise();
    const theirs = await Promise.all(strangers.map((lp) => announced(lp, { tx_hash })));
    const answers = await Promise.all([
      confirm(owner, mine.id, tx_hash),
      ...strangers.map((lp, i) => confirm(lp, theirs[i]?.id as number)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, ...Array(7).fill(400)]);
    expect(await Promise.all(strangers.map(balance))).toEqual(Array(7).fill(0));
  });

  test('gets nothing with the owner’s amount when it is free again', async () => {
    await reserveAllExcept([7]);
    const mine = await announced(owner);
    const tx_hash = await send(mine.amount);
    await chain.finalise();
    await expectStatus(200, confirm(owner, mine.id, tx_hash));
    await expire(mine.id, 30);
    const theirs = await announced(stranger, { tx_hash });
    expect(theirs.amount).toBe(mine.amount);
    const spellings = [tx_hash, tx_hash.slice(2), tx_hash.toUpperCase(), ` ${tx_hash} `];
    for (const hash of spellings) {
      const answer = await confirm(stranger, theirs.id, hash);
      expect([answer.status, answer.headers.get('x-error-code')]).toEqual([409, 'transaction_used']);
    }
    await expire(theirs.id);
  });
});

describe('the amount of an announcement', () => {
  test('that is the last free one goes to one of two parallel announcements, and the other gets a 503', async () => {
    await reserveAllExcept([11]);
    const answers = await Promise.all([announce(owner), announce(stranger)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 503]);
    const refused = answers.find(({ status }) => status === 503);
    expect(refused?.headers.get('x-error-code')).toBe('amounts_exhausted');
    for (const { body } of answers) if (body.deposit_id) await expire(body.deposit_id);
  });

  test('cannot be shared, even by a direct insert of an announcement', async () => {
    // Its last digit is a 0, which the message must not contain.
    await reserveAllExcept([2_740]);
    const { id, amount } = await announced(owner);
    const twin = corridor.sql(
      `insert into collateral_deposit (lp_id, amount, asset, chain, expires_at)
       select lp_id, amount, asset, chain, expires_at from collateral_deposit where id = $1`,
      [id],
    );
    await expect(twin).rejects.toThrow(
      new Error(`Another order, rate lock, deposit or withdrawal has the amount ${amount} usdc on base`),
    );
    await expire(id);
  });

  test.each([
    ['less', -1],
    ['more', 1],
  ])('is not paid by one unit %s', async (side, units) => {
    const lp = await newDepositor();
    const { id, amount } = await announced(lp);
    const hash = await send(decimal(units).div(1_000_000).plus(amount).toNumber());
    await chain.finalise();
    expect((await confirm(lp, id, hash)).body.error).toContain(`: 0.000001 ${side} than is asked for`);
    expect(await balance(lp)).toBe(0);
  });

  test('is not paid by two transfers that add up to it, nor twice by one transaction', async () => {
    const lp = await newDepositor();
    const [one, two] = [await announced(lp), await announced(lp)];
    const rest = decimal(one.amount).minus(40).toFixed();
    const parts = await usdc.transferMany(payer, [
      [platform, '40'],
      [platform, rest],
    ]);
    const both = await usdc.transferMany(payer, [
      [platform, String(one.amount)],
      [platform, String(two.amount)],
    ]);
    await chain.finalise();
    expect((await confirm(lp, one.id, parts)).status).toBe(400);
    const answers = await Promise.all([confirm(lp, one.id, both), confirm(lp, two.id, both)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  test('is not paid by a transfer of it from before the announcement', async () => {
    await reserveAllExcept([42]);
    const lp = await newDepositor();
    const { id, amount } = await announced(lp, { tx_hash: early });
    expect(amount).toBe(EARLY);
    expect((await confirm(lp, id)).body.error).toMatch(/before what it should pay for/);
    expect(await balance(lp)).toBe(0);
    await expire(id);
  });
});

describe('an announcement that has expired', () => {
  test('is not credited, and shows that it has expired', async () => {
    const lp = await newDepositor();
    const { id, amount } = await announced(lp);
    const hash = await send(amount);
    await chain.finalise();
    await expire(id);
    const answer = await confirm(lp, id, hash);
    expect([answer.status, answer.headers.get('x-error-code')]).toEqual([409, 'deposit_expired']);
    // It is not credited either if it expires while Corridor checks the chain.
    await expect(confirmDeposit(corridor.db, id, hash)).rejects.toMatchObject({ code: 'deposit_expired' });
    const read = await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/balance`));
    expect(read.recent_deposits).toMatchObject([{ id, status: 'expired' }]);
    expect(read.balance.available).toBe(0);
  });

  test('is not looked up', async () => {
    const { id } = await announced(owner);
    await expire(id);
    expect((await confirm(owner, id, 'ab'.repeat(32))).status).toBe(409);
    expect(await corridor.sql('select lookups from collateral_deposit where id = $1', [id])).toEqual([
      { lookups: 0 },
    ]);
  });
});

describe('the amount of an announcement that has ended', () => {
  const expectReserved = async () => {
    const answer = await announce(stranger);
    expect([answer.status, answer.headers.get('x-error-code')]).toEqual([503, 'amounts_exhausted']);
  };

  test('is not used again for 30 days, so that a late transfer credits nobody', async () => {
    await reserveAllExcept([99]);
    const { id, amount } = await announced(owner);
    await expire(id);
    await expectReserved();
    await expire(id, 29.9);
    await expectReserved();
    await expire(id, 30);
    expect((await announced(stranger)).amount).toBe(amount);
  });

  test('is not used again after its confirmation, so that a second transfer credits nobody', async () => {
    await reserveAllExcept([98]);
    const { id, amount } = await announced(owner);
    const hash = await send(amount);
    await chain.finalise();
    await expectStatus(200, confirm(owner, id, hash));
    await expectReserved();
  });
});

describe('an LP', () => {
  test('has at most twenty live announcements, even with parallel calls', async () => {
    const lp = await newDepositor();
    const answers = await Promise.all(Array.from({ length: MOST_LIVE_DEPOSITS + 5 }, () => announce(lp)));
    const made = answers.filter(({ status }) => status === 200);
    expect(made).toHaveLength(MOST_LIVE_DEPOSITS);
    const refused = answers.filter(({ headers }) => headers.get('x-error-code') === 'too_many_deposits');
    expect(refused.map(({ status }) => status)).toEqual(Array(5).fill(409));
    const id = made[0]?.body.deposit_id;
    await expire(id);
    expect((await announce(lp)).status).toBe(200);
    expect((await announce(lp)).status).toBe(409);
  });

  test('has at most twenty, even if the next one begins before the twentieth has committed', async () => {
    const lp = await newDepositor();
    for (let i = 1; i < MOST_LIVE_DEPOSITS; i++) await announced(lp);
    const first = await corridor.db.pool.connect();
    try {
      await first.query('begin');
      const room = 'select has_room_to_announce($1, $2) as room';
      expect((await first.query(room, [lp.id, MOST_LIVE_DEPOSITS])).rows).toEqual([{ room: true }]);
      await first.query(
        `insert into collateral_deposit (lp_id, amount, asset, chain, expires_at)
         values ($1, 5, 'usdc', 'base', now() + interval '1 hour')`,
        [lp.id],
      );
      const second = announce(lp);
      let answer: Answer | undefined;
      void second.then((given) => {
        answer = given;
      });
      await eventually(
        async () =>
          answer !== undefined || (await countWaiting(corridor.db.pool, 'has_room_to_announce')) === 1,
      );
      await first.query('commit');
      expect((await second).headers.get('x-error-code')).toBe('too_many_deposits');
    } finally {
      first.release(true);
    }
  });

  test('that is suspended cannot have the chain checked more often than a deposit allows, even with parallel calls', async () => {
    const lp = await newDepositor();
    await expectStatus(200, corridor.admin('POST', `/api/admin/lps/${lp.id}/suspend`, {}));
    const { id } = await announced(lp);
    await corridor.sql('update collateral_deposit set lookups = $2 where id = $1', [id, MOST_LOOKUPS - 3]);
    const missing = 'ab'.repeat(32);
    const answers = await Promise.all(Array.from({ length: 10 }, () => confirm(lp, id, missing)));
    expect(answers.map(({ status }) => status).sort()).toEqual([400, 400, 400, ...Array(7).fill(409)]);
    expect(answers.map(({ headers }) => headers.get('x-error-code'))).toContain('deposit_lookups_used');
    expect((await confirm(lp, id, missing)).status).toBe(409);
  });

  test('has a limit of confirmations per minute', async () => {
    const strict = await startCorridor({
      worker: false,
      databaseUrl: corridor.databaseUrl,
      env: { SANDBOX: 'true', CONFIRM_DEPOSIT_RATE_LIMIT: '3' },
    });
    try {
      const lp = await newDepositor();
      const call = strict.as(lp.key);
      const path = `/api/lp/${lp.key}/collateral/999999999/confirm`;
      const statuses = [];
      for (let i = 0; i < 4; i++) statuses.push((await call('POST', path, {})).status);
      expect(statuses).toEqual([404, 404, 404, 429]);
    } finally {
      await strict.stop();
    }
  });
});
