import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { type Answer, expectStatus } from '../../../dev/http-client.ts';
import { startWebhookReceiver } from '../../../dev/webhook-receiver.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { isFinal, type OrderStatus } from '../../../src/domain/order-state.ts';
import { startPostgres } from '../../../src/service/embedded/postgres.ts';
import { roleUrl } from '../../../src/service/embedded/roles.ts';
import { type Agent, newAgent, newLp, payment, rowOf, statusOf, type TestLp } from '../../support/actors.ts';
import { baseBackup } from '../../support/base-backup.ts';
import { startCorridor, type TestCorridor, WEBHOOK_SECRET } from '../../support/corridor.ts';
import { copyOf, databaseSettings } from '../../support/database.ts';
import { KEEP_EVENTS, LET_EVENTS_CHANGE } from '../../support/edit-events.ts';
import { eventually, eventuallyEquals } from '../../support/eventually.ts';
import { connectFeed } from '../../support/feed-client.ts';
import { run } from '../../support/processes.ts';
import {
  adminDoes,
  cancel,
  claim,
  confirm,
  confirmedOrder,
  dispute,
  fiatSent,
  newOrder,
  settle,
} from '../../support/repeated-steps.ts';
import { resumeAfterRestore } from '../../support/resume-after-restore.ts';
import { expectSoundWhenStill } from '../../support/soundness.ts';
import { startLosableTemporal } from '../../support/temporal-server.ts';

/** Long, because the machine is busy, and calls are retried while workflows are being restored. */
const TIMEOUT_MS = 120_000;

const atTheEnd: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of atTheEnd.splice(0).reverse()) await end();
});

const restored = (databaseUrl: string) => run('src/main.ts', ['restored'], databaseSettings(databaseUrl));

async function prepareRestored(databaseUrl: string) {
  const preparing = restored(databaseUrl);
  expect({ exit: await preparing.ended, said: preparing.stderr() }).toMatchObject({ exit: 0 });
}

/**
 * Retries until the call succeeds: a restored order may not have its workflow yet. A call that got no answer in time may move the
 * order nevertheless, and then the next one is refused.
 */
const done = (ask: () => Promise<Answer>) => {
  let isUnanswered = false;
  return eventually(async () => {
    const { status, body } = await ask();
    const expected = [200, 503, ...(isUnanswered ? [409] : [])];
    if (!expected.includes(status)) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
    isUnanswered = status === 503;
    return !isUnanswered;
  }, TIMEOUT_MS);
};

/** The same actor on another Corridor's address. */
const agentAt = ({ as }: TestCorridor, agent: Agent): Agent => ({ ...agent, call: as(agent.key) });
const lpAt = ({ as }: TestCorridor, lp: TestLp): TestLp => ({ ...lp, call: as(lp.key) });

test('orders in every stage continue from a backup that was made while they moved, on a new server and an empty Temporal', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-restore-'));
  atTheEnd.push(() => rm(folder, { recursive: true }));
  const [files, copy] = [join(folder, 'postgres'), join(folder, 'restored')];
  const lost = await startPostgres(files, ['fsync=off', 'wal_keep_size=1GB']);
  let lostIsUp = true;
  const loseServer = async () => {
    if (lostIsUp) await lost.stop();
    lostIsUp = false;
  };
  atTheEnd.push(loseServer);
  await migrate({ url: roleUrl(lost.url, 'owner'), debug: () => undefined });
  const receiver = await startWebhookReceiver(WEBHOOK_SECRET);
  atTheEnd.push(receiver.close);
  const withCallback = { callback_url: receiver.url };

  const before = await startCorridor({ databaseUrl: lost.url });
  let beforeRuns = true;
  const stopBefore = async () => {
    if (beforeRuns) await before.stop();
    beforeRuns = false;
  };
  atTheEnd.push(stopBefore);
  const { admin, anyone } = before;
  const [agent, lp] = [await newAgent(before), await newLp(before, { collateral: 10_000 })];

  const order = async (...steps: ((id: number) => Promise<Answer>)[]) => {
    const id = await newOrder(agent, withCallback);
    for (const step of steps) await expectStatus(200, step(id));
    return id;
  };
  const claims = (id: number) => claim(lp, id);
  const sends = (id: number) => fiatSent(lp, id);
  const confirms = (id: number) => confirm(agent, id);
  const unseen = randomBytes(32).toString('hex');
  const ids = {
    matched: await order(),
    claimed: await order(claims),
    fiat_sent: await order(claims, sends),
    confirmed: await order(claims, sends, confirms),
    paidLater: await order(claims, sends, confirms),
    crypto_verify_pending: await order(claims, sends, confirms, (id) => settle(agent, id, unseen)),
    disputed: await order(claims, sends, (id) => dispute(agent, id)),
    frozen: await order(claims, (id) => adminDoes(admin, 'freeze', id)),
    cancelled: await order((id) => cancel(agent, id)),
  };
  const completed = await confirmedOrder(agent, lp, withCallback);
  await settle(agent, completed, await payment({ anyone }, agent, completed));
  await eventuallyEquals(() => statusOf(agent, completed), 'completed');

  // Orders move during the copy, so the test cannot know which of their steps the backup contains.
  const moving = Array.from({ length: 6 }, () => confirmedOrder(agent, lp, withCallback));
  await Promise.all([...moving, baseBackup(lost.url, files, copy)]);

  // Later than the backup: an order, a transaction that paid an order, and a feed position.
  const unknown = await order(claims);
  const hash = await payment({ anyone }, agent, ids.paidLater);
  await expectStatus(200, settle(agent, ids.paidLater, hash));
  await receiver.next(({ body }) => body.order_id === ids.paidLater && body.status === 'completed');
  const feedBefore = await connectFeed(before.config.publicUrl, { key: lp.key });
  const { cursor } = await feedBefore.next('snapshot');
  await feedBefore.close();
  const idsBefore = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));

  await stopBefore();
  await loseServer();
  await copyFile(`${files}.password`, `${copy}.password`);
  const server = await startPostgres(copy, ['fsync=off']);
  atTheEnd.push(server.stop);
  await prepareRestored(server.url);

  const temporal = await startLosableTemporal();
  atTheEnd.push(temporal.stop);
  const after = await startCorridor({ databaseUrl: server.url, temporalAddress: temporal.address });
  atTheEnd.push(after.stop);
  const [agentNow, lpNow] = [agentAt(after, agent), lpAt(after, lp)];
  await resumeAfterRestore(after);
  // The chain still has the transaction that the backup lacks.
  for (const [known, id] of [
    [unseen, ids.crypto_verify_pending],
    [hash, ids.paidLater],
  ])
    await after.db.query(
      'restore-chain',
      `insert into sandbox_transaction (chain, tx_hash, symbol, "to", amount, final_at) select 'trx', $1, 'usdt', lp_receive_address, amount_crypto, now() from orders where id = $2`,
      [known, id],
    );

  const hashes = new Map([[ids.paidLater, hash]]);
  const hashOf = async (id: number) => {
    const known = hashes.get(id) ?? (await payment(after, agentNow, id));
    hashes.set(id, known);
    return known;
  };
  const next: Partial<Record<OrderStatus, (id: number) => Promise<Answer>>> = {
    matched: (id) => claim(lpNow, id),
    claimed: (id) => fiatSent(lpNow, id),
    fiat_sent: (id) => confirm(agentNow, id),
    confirmed: async (id) => settle(agentNow, id, await hashOf(id)),
    disputed: (id) => adminDoes(after.admin, 'resolve', id, { outcome: 'completed' }),
  };
  const finish = (id: number) =>
    eventually(async () => {
      const { status, frozen } = await rowOf(after.admin, id);
      if (isFinal(status)) return true;
      const step = frozen
        ? (id: number) => adminDoes(after.admin, 'unfreeze', id)
        : next[status as OrderStatus];
      if (step) await done(() => step(id));
      return false;
    }, TIMEOUT_MS);
  const sql = 'select id from orders order by id';
  const all = (await after.db.query<{ id: number }>('restore-orders', sql, [])).map(({ id }) => id);
  expect(all).toEqual(expect.arrayContaining([...Object.values(ids), completed]));
  expect(all).not.toContain(unknown);
  await Promise.all(all.map(finish));
  for (const [name, id] of Object.entries(ids))
    expect([name, await statusOf(agentNow, id)]).toEqual([
      name,
      name === 'cancelled' ? 'cancelled' : 'completed',
    ]);

  // New orders and webhooks never reuse the ids of lost ones.
  expect((await agentNow.call('GET', `/api/v1/status/${unknown}`)).status).toBe(404);
  const feed = await connectFeed(after.config.publicUrl, { key: lp.key, cursor });
  const fresh = await newOrder(agentNow, withCallback);
  expect(fresh).toBeGreaterThan(unknown + 1_000);
  await feed.next('order.open', ({ order }) => order.id === fresh);
  await feed.close();
  await finish(fresh);
  await expectSoundWhenStill(after);
  const received = receiver.received.filter(({ body }) => body.order_id === fresh);
  expect(received.map(({ body }) => body.status)).toContain('completed');
  for (const { headers } of received) expect(idsBefore).not.toContain(headers['webhook-id']);
  // The steps after the backup were repeated, and their webhooks arrived again.
  const again = receiver.received.filter(
    ({ body }) => body.order_id === ids.paidLater && body.status === 'completed',
  );
  expect(new Set(again.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
}, 600_000);

/** Transaction ids restart on another server, which is the only difference between a dump and its database. */
const AS_FROM_A_DUMP = `
  ${LET_EVENTS_CHANGE};
  update order_event set xid = (xid::text::bigint + 5000000000)::text::xid8;
  update order_totals set xid = (xid::text::bigint + 5000000000)::text::xid8;
  update feed_cursor set xid = (xid::text::bigint + 5000000000)::text::xid8;
  ${KEEP_EVENTS}`;

test('Corridor detects a restored dump, and after its preparation the feed and the totals continue', async () => {
  const first = await startCorridor();
  const [agent, lp] = [await newAgent(first), await newLp(first)];
  const completed = await confirmedOrder(agent, lp);
  await settle(agent, completed, await payment(first, agent, completed));
  await eventuallyEquals(() => statusOf(agent, completed), 'completed');
  const offered = await newOrder(agent);
  const feedBefore = await connectFeed(first.config.publicUrl, { key: lp.key });
  const { cursor } = await feedBefore.next('snapshot');
  await feedBefore.close();
  const name = new URL(first.databaseUrl).pathname.slice(1);
  await first.stop();

  const databaseUrl = await copyOf(name);
  const sql = new pg.Client({ connectionString: databaseUrl });
  await sql.connect();
  await sql.query(AS_FROM_A_DUMP);
  await sql.end();

  const settings = { ...databaseSettings(databaseUrl), TEMPORAL_ADDRESS: first.shared.temporalAddress };
  for (const part of ['api', 'worker']) {
    const refused = run('src/main.ts', [part], { ...settings, PORT: String(first.config.port) });
    expect(await refused.ended).toBe(1);
    expect(refused.stderr()).toContain('restored from a dump. Run "restored" first');
  }
  // Twice, to show that repetition is harmless.
  for (const _ of [1, 2]) await prepareRestored(databaseUrl);

  const corridor = await startCorridor({ databaseUrl });
  atTheEnd.push(corridor.stop);
  const refused = restored(databaseUrl);
  expect(await refused.ended).toBe(1);
  expect(refused.stderr()).toContain('Corridor is connected to this database');

  const [agentNow, lpNow] = [agentAt(corridor, agent), lpAt(corridor, lp)];
  // An LP that has claimed and paid an order after the backup is not known, so nobody else may claim it yet.
  const { status, headers } = await lpNow.call('POST', `/api/orders/${offered}/claim`);
  expect({ status, code: headers.get('x-error-code') }).toEqual({ status: 503, code: 'paused' });
  const { events } = await expectStatus(200, corridor.admin('GET', '/api/admin/audit?actor=service&limit=1'));
  expect(events).toMatchObject([{ object: expect.stringMatching(/^pause:/) }]);
  await resumeAfterRestore(corridor);
  const feed = await connectFeed(corridor.config.publicUrl, { key: lp.key, cursor });
  const fresh = await newOrder(agentNow);
  await feed.next('order.open', ({ order }) => order.id === fresh);
  await feed.close();
  for (const id of [offered, fresh]) {
    await done(() => claim(lpNow, id));
    await done(() => fiatSent(lpNow, id));
    await done(() => confirm(agentNow, id));
    const hash = await payment(corridor, agentNow, id);
    await done(() => settle(agentNow, id, hash));
    await eventuallyEquals(() => statusOf(agentNow, id), 'completed');
  }
  // Each order counts once, including those from before the dump.
  await eventuallyEquals(async () => {
    const { body } = await corridor.admin('GET', '/api/admin/lps');
    return body.lps[0].orders_completed;
  }, 3);
  await expectSoundWhenStill(corridor);
});
