import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { type Answer, expectStatus } from '../../demo/http.ts';
import { startWebhookReceiver } from '../../demo/webhook-receiver.ts';
import { migrate } from '../../src/db/orm.ts';
import { isFinal, type OrderStatus } from '../../src/domain/order-state.ts';
import { startPostgres } from '../../src/embedded/postgres.ts';
import {
  type Agent,
  adminDoes,
  cancel,
  claim,
  confirm,
  confirmedOrder,
  dispute,
  fiatSent,
  newAgent,
  newLp,
  newOrder,
  rowOf,
  settle,
  statusOf,
  type TestLp,
  transaction,
} from '../support/actors.ts';
import { baseBackup } from '../support/base-backup.ts';
import { startCorridor, type TestCorridor, WEBHOOK_SECRET } from '../support/corridor.ts';
import { copyOf } from '../support/database.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { connectFeed } from '../support/feed-client.ts';
import { run } from '../support/processes.ts';
import { expectSoundWhenStill } from '../support/soundness.ts';
import { startLosableTemporal } from '../support/temporal-server.ts';

/** A busy machine is a slow one, and what is asked for while workflows come back is asked for again. */
const PATIENCE_MS = 120_000;

const atTheEnd: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of atTheEnd.splice(0).reverse()) await end();
});

const restored = (databaseUrl: string) => run('src/main.ts', ['restored'], { DATABASE_URL: databaseUrl });

/** Until it is done: an order that has just come back may not have its workflow yet. */
const done = (ask: () => Promise<Answer>) =>
  eventually(async () => {
    const { status, body } = await ask();
    if (status !== 200 && status !== 503) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
    return status === 200;
  }, PATIENCE_MS);

/** With another Corridor's address, and the same key. */
const agentAt = ({ as }: TestCorridor, agent: Agent): Agent => ({ ...agent, call: as(agent.key) });
const lpAt = ({ as }: TestCorridor, lp: TestLp): TestLp => ({ ...lp, call: as(lp.key) });

test('orders in every stage go on from a backup that was made while they moved, on a new server and an empty Temporal', async () => {
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
  await migrate({ url: lost.url, debug: () => undefined });
  const receiver = await startWebhookReceiver(WEBHOOK_SECRET);
  atTheEnd.push(receiver.close);
  const told = { callback_url: receiver.url };

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
    const id = await newOrder(agent, told);
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
  const completed = await confirmedOrder(agent, lp, told);
  await settle(agent, completed, await transaction(anyone, lp.address, 10.05));
  await eventuallyEquals(() => statusOf(agent, completed), 'completed');

  // Orders move while it is copied: which of their steps are in it, nobody knows.
  const moving = Array.from({ length: 6 }, () => confirmedOrder(agent, lp, told));
  await Promise.all([...moving, baseBackup(lost.url, files, copy)]);

  // What the backup does not know: an order, a transaction that paid one, a place in the feed.
  const unknown = await order(claims);
  const hash = await transaction(anyone, lp.address, 10.05);
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
  expect(await restored(server.url).ended).toBe(0);

  const temporal = await startLosableTemporal();
  atTheEnd.push(temporal.stop);
  const after = await startCorridor({ databaseUrl: server.url, temporalAddress: temporal.address });
  atTheEnd.push(after.stop);
  const [agentNow, lpNow] = [agentAt(after, agent), lpAt(after, lp)];
  // The chain has not forgotten what the backup does not know.
  for (const known of [unseen, hash])
    await after.db.query(
      'restore-chain',
      `insert into sandbox_transaction (chain, tx_hash, symbol, "to", amount, final_at) values ('trx', $1, 'usdt', $2, 10.05, now())`,
      [known, lp.address],
    );

  const hashes = new Map([[ids.paidLater, hash]]);
  const hashOf = async (id: number) => {
    const known = hashes.get(id) ?? (await transaction(after.anyone, lp.address, 10.05));
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
    }, PATIENCE_MS);
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

  // Nobody can take what is new for what was lost: neither by its id, nor by that of its webhook.
  expect((await agentNow.call('GET', `/api/v1/status/${unknown}`)).status).toBe(404);
  const feed = await connectFeed(after.config.publicUrl, { key: lp.key, cursor });
  const fresh = await newOrder(agentNow, told);
  expect(fresh).toBeGreaterThan(unknown + 1_000);
  await feed.next('order.open', ({ order }) => order.id === fresh);
  await feed.close();
  await finish(fresh);
  await expectSoundWhenStill(after);
  const heard = receiver.received.filter(({ body }) => body.order_id === fresh);
  expect(heard.map(({ body }) => body.status)).toContain('completed');
  for (const { headers } of heard) expect(idsBefore).not.toContain(headers['webhook-id']);
  // What happened after the backup happened again, and its webhook came again.
  const again = receiver.received.filter(
    ({ body }) => body.order_id === ids.paidLater && body.status === 'completed',
  );
  expect(new Set(again.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
}, 600_000);

/** In another server transactions are counted anew, which is all that tells a dump from its database. */
const AS_FROM_A_DUMP = `
  update order_event set xid = (xid::text::bigint + 5000000000)::text::xid8;
  update order_totals set xid = (xid::text::bigint + 5000000000)::text::xid8;
  update feed_cursor set xid = (xid::text::bigint + 5000000000)::text::xid8`;

test('a dump that was restored is told from others; made fit, its feed and its totals go on', async () => {
  const first = await startCorridor();
  const [agent, lp] = [await newAgent(first), await newLp(first)];
  const completed = await confirmedOrder(agent, lp);
  await settle(agent, completed, await transaction(first.anyone, lp.address, 10.05));
  await eventuallyEquals(() => statusOf(agent, completed), 'completed');
  const offered = await newOrder(agent);
  const feedBefore = await connectFeed(first.config.publicUrl, { key: lp.key });
  const { cursor } = await feedBefore.next('snapshot');
  await feedBefore.close();
  const name = new URL(first.shared.databaseUrl).pathname.slice(1);
  await first.stop();

  const databaseUrl = await copyOf(name);
  const sql = new pg.Client({ connectionString: databaseUrl });
  await sql.connect();
  await sql.query(AS_FROM_A_DUMP);
  await sql.end();

  const settings = { DATABASE_URL: databaseUrl, TEMPORAL_ADDRESS: first.shared.temporalAddress };
  for (const part of ['api', 'worker']) {
    const refused = run('src/main.ts', [part], { ...settings, PORT: String(first.config.port) });
    expect(await refused.ended).toBe(1);
    expect(refused.stderr()).toContain('restored from a dump. Run "restored" first');
  }
  // Twice, as somebody does who is not sure.
  for (const _ of [1, 2]) expect(await restored(databaseUrl).ended).toBe(0);

  const corridor = await startCorridor({ databaseUrl });
  atTheEnd.push(corridor.stop);
  const refused = restored(databaseUrl);
  expect(await refused.ended).toBe(1);
  expect(refused.stderr()).toContain('Corridor is at work on this database');

  const [agentNow, lpNow] = [agentAt(corridor, agent), lpAt(corridor, lp)];
  const feed = await connectFeed(corridor.config.publicUrl, { key: lp.key, cursor });
  const fresh = await newOrder(agentNow);
  await feed.next('order.open', ({ order }) => order.id === fresh);
  await feed.close();
  for (const id of [offered, fresh]) {
    await done(() => claim(lpNow, id));
    await done(() => fiatSent(lpNow, id));
    await done(() => confirm(agentNow, id));
    const hash = await transaction(corridor.anyone, lp.address, 10.05);
    await done(() => settle(agentNow, id, hash));
    await eventuallyEquals(() => statusOf(agentNow, id), 'completed');
  }
  // Each counts once, those of before the dump among them.
  await eventuallyEquals(async () => {
    const { body } = await corridor.admin('GET', '/api/admin/lps');
    return body.lps[0].orders_completed;
  }, 3);
  await expectSoundWhenStill(corridor);
});
