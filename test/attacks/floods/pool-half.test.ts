import { afterAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { startCorridor } from '../../support/corridor.ts';
import { eventually } from '../../support/eventually.ts';
import { connectFeed } from '../../support/feed-client.ts';
import { type HeldTable, holdTable } from '../../support/held-table.ts';
import { rawConnection } from '../../support/raw-http.ts';
import { countWaiting } from '../../support/waiting-statements.ts';

/** Strangers whose requests take long, on an installation with few connections to its database. */
const POOL = 6;
const HALF = POOL / 2;
/** Those that are served, ten that wait for each of them, and some more. */
const STRANGERS = 11 * HALF + 10;

let held: HeldTable | undefined;
const corridor = await startCorridor({ env: { DATABASE_POOL_SIZE: `${POOL}`, AUTH_FAILURE_LIMIT: '100' } });
await corridor.newLp();
const agent = await corridor.newAgent();
const orderId = await agent.newOrder();
await corridor.stopWorker();
afterAll(async () => {
  await held?.close();
  await corridor.stop();
});

test('strangers leave half of the connections to callers with a key, and too many of them are refused', async () => {
  const body = { xrpl_address: 'rSomebody', mpesa_phone: '+254700000009' };
  // Of all requests here, only registrations write users.
  held = await holdTable(corridor.shared.databaseUrl, 'app_user');
  const blocked = () => countWaiting(corridor.db.pool);
  const strangers = Promise.all(
    Array.from({ length: STRANGERS }, () => corridor.anyone('POST', '/api/lp/register', body)),
  );
  await eventually(async () => (await blocked()) >= HALF);
  const path = `/api/v1/status/${orderId}`;
  const reads = await Promise.all(Array.from({ length: 20 }, () => agent.call('GET', path)));
  expect(new Set(reads.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await blocked()).toBeLessThanOrEqual(HALF);
  await held.release();
  const answers = await strangers;
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(10);
  // On a slow machine a statement may wait for longer than it is allowed to.
  for (const { status } of answers) expect([201, 429, 503]).toContain(status);
});

test('strangers who send their bodies slowly keep no other one waiting', async () => {
  const head = 'POST /api/lp/register HTTP/1.1\r\nHost: corridor\r\nContent-Type: application/json\r\n';
  const slow = Array.from({ length: HALF }, () => rawConnection(corridor.config.publicUrl));
  for (const { socket } of slow) socket.write(`${head}Content-Length: 100\r\n\r\n`);
  // Their requests are under way when the service has answered a later one of a caller with a key.
  await agent.statusOf(orderId);
  expect((await corridor.anyone('GET', `/api/orders/${orderId}`)).status).toBe(200);
  // They wait for the rest of their bodies, so the answer did not come because the service had ended them.
  expect(slow.map(({ received, socket }) => [received(), socket.closed])).toEqual(
    slow.map(() => ['', false]),
  );
  for (const { socket } of slow) socket.destroy();
});

test('strangers on the feed take no connection', async () => {
  const client = new pg.Client({ connectionString: corridor.shared.databaseUrl });
  await client.connect();
  try {
    await client.query('begin');
    await client.query('lock table rate_window in access exclusive mode');
    const url = corridor.config.publicUrl;
    const refused = () =>
      connectFeed(url, {}).then(
        () => 'admitted',
        ({ status }) => status,
      );
    const statuses = await Promise.all(Array.from({ length: 2 * POOL }, refused));
    expect(new Set(statuses)).toEqual(new Set([401]));
  } finally {
    await client.end();
  }
});
