import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Answer, expectStatus } from '../../dev/http-client.ts';
import { startCorridor } from '../support/corridor.ts';
import type { TestLp } from '../support/parties.ts';
import { startXrplServer } from '../support/xrpl-server.ts';

/** Somebody who may register as an LP tries to burden the chain's node through Corridor, without an approval. */
const ACCOUNT = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh';
const ISSUER = 'rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B';
/** Look-ups in a minute: of all LPs that are not approved together, and of each approved one. */
const SHARED = 4;
const OWN = 6;
const MISSING = 'ab'.repeat(32);

const server = await startXrplServer();
server.accounts.set(ACCOUNT, 0);
const env = {
  SANDBOX: 'true',
  LP_AUTO_APPROVE: 'false',
  CHAIN_XRPL_RPC_URL: server.url,
  CHAIN_XRPL_TOKENS: `usdt:${ISSUER}:USDT`,
  CHAIN_XRPL_DEPOSIT_ADDRESS: 'rPT1Sjq2YGrBMTttX4GZHjKu9dyfzbpAYe',
  UNAPPROVED_LOOKUP_RATE_LIMIT: String(SHARED),
  LOOKUP_RATE_LIMIT: String(OWN),
  ASSET_RATE_LIMIT: '20',
};
const corridor = await startCorridor({ worker: false, env });
/** Another API process of the same installation. */
const second = await startCorridor({ worker: false, env, databaseUrl: corridor.databaseUrl });
afterAll(async () => {
  await second?.stop();
  await corridor?.stop();
  await server?.close();
});
beforeEach(async () => {
  await corridor.sql('delete from rate_window');
  server.received.length = 0;
});

const newStranger = () => corridor.newLp({ asset: false, collateral: 0 });
const approve = (lp: TestLp) =>
  expectStatus(200, corridor.admin('POST', `/api/admin/lps/${lp.id}/approve`, {}));
const newApproved = async () => {
  const lp = await newStranger();
  await approve(lp);
  return lp;
};
const register = (lp: TestLp, changes: Record<string, unknown> = {}, at = corridor) =>
  at.as(lp.key)('POST', `/api/lp/${lp.key}/assets`, {
    ...{ symbol: 'usdt', chain: 'xrpl', address: ACCOUNT },
    ...changes,
  });
const announced = async (lp: TestLp): Promise<number> => {
  const body = { amount: 100, asset: 'usdt', chain: 'xrpl' };
  const call = lp.call('POST', `/api/lp/${lp.key}/collateral/deposit`, body);
  return (await expectStatus(200, call)).deposit_id;
};
const confirm = (lp: TestLp, id: number, tx_hash: string | undefined = MISSING) =>
  lp.call('POST', `/api/lp/${lp.key}/collateral/${id}/confirm`, { tx_hash });
const asked = (command: string) => server.received.filter((request) => request.command === command).length;
const refusals = (answers: Answer[]) =>
  answers.filter(({ headers }) => headers.get('x-error-code') === 'too_many_lookups');

describe('LPs that are not approved', () => {
  test('share their look-ups of accounts, however many register, over all processes', async () => {
    const strangers = await Promise.all(Array.from({ length: 12 }, newStranger));
    const answers = await Promise.all(
      strangers.map((lp, i) => register(lp, { symbol: i % 2 ? 'usdt' : 'xrp' }, i % 2 ? corridor : second)),
    );
    expect(asked('account_info')).toBe(SHARED);
    expect(refusals(answers)).toHaveLength(12 - SHARED);
    for (const { status, headers } of refusals(answers)) {
      expect(status).toBe(429);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
    }
  });

  test('share them with their look-ups of deposits, and a refused one changes nothing', async () => {
    const [one, other] = [await newStranger(), await newStranger()];
    const id = await announced(one);
    const answers = [];
    for (let i = 0; i < SHARED; i++) answers.push(await confirm(one, id));
    expect(answers.map(({ status }) => status)).toEqual(Array(SHARED).fill(400));
    expect([asked('tx'), refusals(answers)]).toEqual([SHARED, []]);

    for (const refused of [await confirm(one, id), await register(other)])
      expect([refused.status, refused.headers.get('x-error-code')]).toEqual([429, 'too_many_lookups']);
    expect([asked('tx'), asked('account_info')]).toEqual([SHARED, 0]);
    expect(await corridor.sql('select lookups from collateral_deposit where id = $1', [id])).toEqual([
      { lookups: SHARED },
    ]);
    expect(await corridor.sql('select symbol from lp_asset where lp_id = $1', [other.id])).toEqual([]);
  });

  test('leave an approved LP its own, and a suspended LP is not approved', async () => {
    const lp = await newApproved();
    const strangers = await Promise.all(Array.from({ length: SHARED + 2 }, newStranger));
    for (const stranger of strangers) await confirm(stranger, await announced(stranger));
    expect(asked('tx')).toBe(SHARED);
    const id = await announced(lp);
    for (let i = 0; i < OWN; i++) expect((await confirm(lp, id)).status).toBe(400);
    const [refused] = refusals([await confirm(lp, id)]);
    expect(refused?.status).toBe(429);
    expect(asked('tx')).toBe(SHARED + OWN);
    expect((await confirm(await newApproved(), id)).status).toBe(404);

    const suspended = await newApproved();
    await expectStatus(200, corridor.admin('POST', `/api/admin/lps/${suspended.id}/suspend`, {}));
    expect((await register(suspended)).headers.get('x-error-code')).toBe('too_many_lookups');
  });

  test('need none for an address with a tag, which asks no node', async () => {
    for (let tag = 0; tag < SHARED + 2; tag++)
      await expectStatus(201, register(await newStranger(), { destination_tag: tag + 1_000_000 }));
    expect(server.received).toEqual([]);
  });

  test('use one for a look-up that the node does not answer', async () => {
    server.fail('tooBusy');
    try {
      const lp = await newStranger();
      for (let i = 0; i < SHARED; i++) expect((await register(lp)).status).toBe(503);
      expect((await register(lp)).headers.get('x-error-code')).toBe('too_many_lookups');
    } finally {
      server.fail(undefined);
    }
  });
});

test('an LP’s registrations of addresses have a limit of their own, which the headers show', async () => {
  const lp = await newStranger();
  const answers = [];
  for (let i = 0; i < 21; i++)
    answers.push(await register(lp, { chain: 'trx', address: `T${'x'.repeat(20)}${i}` }));
  expect(answers.map(({ status }) => status)).toEqual([...Array(20).fill(201), 429]);
  expect(answers[0]?.headers.get('ratelimit-limit')).toBe('20');
  expect(answers.at(-1)?.headers.get('x-error-code')).toBe('rate_limited');
});
