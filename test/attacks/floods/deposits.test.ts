import { afterAll, expect, test } from '@jest/globals';
import { expectStatus } from '../../../dev/http-client.ts';
import { startCorridor, type TestCorridor } from '../../support/corridor.ts';
import { freshDatabase } from '../../support/database.ts';

/** Two API processes on one database, with a limit that one LP reaches at once. */
const LIMIT = 3;

const databaseUrl = await freshDatabase();
const env = { ANNOUNCE_DEPOSIT_RATE_LIMIT: `${LIMIT}` };
// One after the other: the first one migrates the database.
const first = await startCorridor({ databaseUrl, env, worker: false });
const apis = [first, await startCorridor({ databaseUrl, env, worker: false })];
afterAll(() => Promise.all(apis.map((api) => api.stop())));

test('an LP announces few deposits in a minute, over all processes, and no other LP has fewer for it', async () => {
  const [api] = apis as [TestCorridor];
  const [flooder, other] = [await api.newLp({ collateral: 0 }), await api.newLp({ collateral: 0 })];
  const announce = ({ key }: { key: string }, at: TestCorridor) =>
    at.as(key)('POST', `/api/lp/${key}/collateral/deposit`, { amount: 100, asset: 'usdt', chain: 'trx' });
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => announce(flooder, apis[i % 2] ?? api)),
  );
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array(LIMIT).fill(200), ...Array(20 - LIMIT).fill(429)]);
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.headers.get('x-error-code')).toBe('rate_limited');
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(
    await api.db.query('announced', 'select 1 from collateral_deposit where lp_id = $1', [flooder.id]),
  ).toHaveLength(LIMIT);
  await expectStatus(200, announce(other, api));
});
