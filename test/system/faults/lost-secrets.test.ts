import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type Call, expectStatus } from '../../../dev/http-client.ts';
import {
  type Agent,
  collateralOf,
  deposit,
  newAgent,
  newLp,
  pay,
  rowOf,
  statusOf,
  type TestLp,
} from '../../support/actors.ts';
import {
  ADMIN_KEY,
  INSTALLATION_TIMEOUTS,
  startCorridor,
  type TestCorridor,
} from '../../support/corridor.ts';
import { type CrashingProcesses, createCrashingProcesses } from '../../support/crashing-processes.ts';
import { freshDatabase } from '../../support/database.ts';
import { claim, newOrder } from '../../support/repeated-steps.ts';
import { expectSound, expectSoundWhenStill } from '../../support/soundness.ts';

/** An API crashes after it committed something that only its response shows: a secret, or the id of a deposit. */
let corridor: TestCorridor;
let crashing: CrashingProcesses;
let lp: TestLp;

beforeAll(async () => {
  const databaseUrl = await freshDatabase();
  corridor = await startCorridor({ databaseUrl, timeouts: INSTALLATION_TIMEOUTS });
  crashing = createCrashingProcesses(corridor, databaseUrl);
  lp = await newLp(corridor, { collateral: 1_000 });
});
afterEach(async () => {
  await crashing.end();
  await expectSound(corridor);
});
afterAll(() => corridor.stop());

/** Returns whether the API accepts an agent's secret. */
const opens = async (key: string) => (await corridor.as(key)('GET', '/api/v1/orders')).status === 200;
const keysOf = async () =>
  (await corridor.admin('GET', '/api/admin/agent-keys')).body.map(({ id }: { id: number }) => id);
const rotate = ({ keyId }: Agent, call: Call) =>
  call('POST', `/api/admin/agent-keys/${keyId}/rotate`, { overlap: '1h' });

test('after any number of lost answers to a rotation the old secret works, until an answer arrives and its overlap ends', async () => {
  const agent = await newAgent(corridor);
  const before = await keysOf();
  const id = await newOrder(agent);
  for (let tries = 0; tries < 2; tries++) {
    await crashing.duringCall('rotation.committed', (as) => rotate(agent, as(ADMIN_KEY)));
    expect(await opens(agent.key)).toBe(true);
  }

  const { api_key, old_key_expires_at } = await expectStatus(201, rotate(agent, corridor.admin));
  expect(Date.parse(old_key_expires_at)).toBeGreaterThan(Date.now());
  expect([await opens(agent.key), await opens(api_key)]).toEqual([true, true]);
  // Both secrets belong to the same agent.
  const renewed = { ...agent, key: api_key, call: corridor.as(api_key) };
  expect([await statusOf(agent, id), await statusOf(renewed, id)]).toEqual(['matched', 'matched']);
  expect((await pay(renewed)).status).toBe(201);
  expect(await keysOf()).toEqual(before);
});

test('an agent key whose secret was lost is listed and can be deactivated, and a repeated request issues another key', async () => {
  const before: number[] = await keysOf();
  const issue = (call: Call) => call('POST', '/api/admin/agent-keys', { name: 'a shop' });
  await crashing.duringCall('issue.committed', (as) => issue(as(ADMIN_KEY)));
  const [lost] = await keysOf();
  expect(before).not.toContain(lost);

  const { id, api_key } = await expectStatus(201, issue(corridor.admin));
  expect(await opens(api_key)).toBe(true);
  await expectStatus(200, corridor.admin('DELETE', `/api/admin/agent-keys/${lost}`));
  expect([id === lost, await opens(api_key)]).toEqual([false, true]);
});

test('an LP whose key was lost is not quoted, and a repeated registration creates another LP', async () => {
  const terms = { xrpl_address: 'rLost', mpesa_phone: '+254711000009', supported_currencies: { RWF: 1_300 } };
  await crashing.duringCall('registration.committed', (as) => as()('POST', '/api/lp/register', terms));
  const [lost] = (await corridor.admin('GET', '/api/admin/lps')).body.lps;
  expect(lost.id).toBeGreaterThan(lp.id);
  const again = await newLp(corridor, { currency: 'RWF', rate: 1_290 });
  expect(again.id).not.toBe(lost.id);

  // Its rate is better, but it has no collateral.
  const agent = await newAgent(corridor);
  const payment = { amount: 1_300, currency: 'RWF' };
  const order = await newOrder(agent, payment);
  expect((await rowOf(corridor.admin, order)).lp_id).toBe(again.id);
  expect((await claim(again, order)).status).toBe(200);
  for (const { id } of [lost, again])
    await expectStatus(200, corridor.admin('POST', `/api/admin/lps/${id}/suspend`, {}));
  expect((await pay(agent, payment)).status).toBe(404);
});

test('a deposit that is announced again after a lost answer is credited once', async () => {
  const before = await collateralOf(corridor, lp);
  const path = `/api/lp/${lp.key}/collateral`;
  const announce = (call: Call) =>
    call('POST', `${path}/deposit`, { amount: 70, asset: 'usdt', tx_hash: 'sandbox-paid-lost' });
  await crashing.duringCall('deposit.announced', (as) => announce(as(lp.key)));

  const { deposit_id } = await expectStatus(200, announce(lp.call));
  const confirm = (id: number) => lp.call('POST', `${path}/${id}/confirm`, {});
  expect((await confirm(deposit_id)).status).toBe(200);
  // The deposit whose id was lost exists too, but cannot be confirmed.
  expect((await confirm(deposit_id - 1)).status).toBe(409);
  expect((await collateralOf(corridor, lp)).available).toBeCloseTo(before.available + 70, 1);
  await deposit(lp, 1);
  expect((await collateralOf(corridor, lp)).available).toBeCloseTo(before.available + 71, 1);
});

test('at the end all invariants hold', () => expectSoundWhenStill(corridor));
