import { afterAll, expect, test } from '@jest/globals';
import { activeWebhooks } from '../../src/notify/lp-webhooks/active.ts';
import { removeLpWebhook, setLpWebhook } from '../../src/notify/lp-webhooks/configure.ts';
import { queueNewEvents } from '../../src/notify/lp-webhooks/queue.ts';
import { queueTermsEvents } from '../../src/notify/lp-webhooks/queue-terms-events.ts';
import { resealLpSecrets } from '../../src/notify/lp-webhooks/reseal.ts';
import { openSecret } from '../../src/notify/webhooks/sealed-secret.ts';
import { pruneJobs } from '../../src/operations/upkeep/jobs/prune.ts';
import { createLogger } from '../../src/process/log.ts';
import { openBooks } from '../support/books.ts';
import { waitForOlderTransactions } from '../support/older-transactions.ts';

/** LPs' webhooks with only a database. */
const books = await openBooks();
afterAll(() => books.db.close());

const log = createLogger('silent');
const [OLD, NEW] = ['an old webhook secret of the service', 'a new webhook secret of the service'];
const ALL = ['order.open', 'order.closed', 'order.updated', 'lp.strike'] as const;
const settings = { url: 'https://lp.example/', events: [...ALL], overlap: 60_000 };

async function newHook(secret = OLD) {
  const lpId = await books.newLp();
  return { lpId, secret: await setLpWebhook(books.db, lpId, settings, { serviceSecret: secret, holdMs: 0 }) };
}
const open = async (lpId: number, webhookSecret: string, secondWebhookSecret?: string) =>
  (await activeWebhooks(books.db, { webhookSecret, secondWebhookSecret }, log)).find(
    (hook) => hook.lpId === lpId,
  );
const sql = async (text: string, values: unknown[] = []) => (await books.db.pool.query(text, values)).rows;

test('nothing is read for the webhooks of an LP that was never approved', async () => {
  const { lpId } = await newHook();
  await sql(`update lp set status = 'pending', approved_at = null where id = $1`, [lpId]);
  expect(await open(lpId, OLD)).toBeUndefined();
  await sql(`update lp_webhook set events = '{lp.rate_expired}' where lp_id = $1`, [lpId]);
  const expiredRates = async () => {
    await sql(`update lp_term set valid_until = now() - interval '1 second' where lp_id = $1`, [lpId]);
    await queueTermsEvents(books.db);
    const reported = `select from webhook_delivery where lp_id = $1 and lp_event = 'lp.rate_expired'`;
    return (await sql(reported, [lpId])).length;
  };
  expect(await expiredRates()).toBe(0);
  await sql(`update lp set status = 'approved' where id = $1`, [lpId]);
  expect(await open(lpId, OLD)).toMatchObject({ lpId });
  expect(await expiredRates()).toBe(1);
});

test('the webhooks of an LP that is approved report what comes afterwards', async () => {
  const { lpId } = await newHook();
  await sql(`update lp set status = 'pending', approved_at = null where id = $1`, [lpId]);
  const earlier = await books.draft(lpId, '1295');
  await books.create(earlier);
  await waitForOlderTransactions(books.db);
  await sql(`update lp set status = 'approved' where id = $1`, [lpId]);
  const hooks = await activeWebhooks(books.db, { webhookSecret: OLD }, log);
  while ((await queueNewEvents(books.db, hooks, async () => hooks)) !== 'later')
    await waitForOlderTransactions(books.db);
  expect(await sql('select from webhook_delivery where lp_id = $1', [lpId])).toEqual([]);
});

test('an LP’s secrets survive a rotation of the service’s secret', async () => {
  const { lpId, secret: first } = await newHook();
  const second = await setLpWebhook(books.db, lpId, settings, { serviceSecret: OLD, holdMs: 0 });
  const wanted = { secret: second, previous: first };
  expect(await open(lpId, OLD, NEW)).toMatchObject(wanted);
  expect(await open(lpId, NEW, OLD)).toMatchObject(wanted);
  await resealLpSecrets(books.db, { webhookSecret: NEW, secondWebhookSecret: OLD });
  expect(await open(lpId, NEW)).toMatchObject(wanted);
});

test('so do those of stopped and former webhooks, which are still warned, and repeats change nothing', async () => {
  const { lpId } = await newHook();
  await setLpWebhook(books.db, lpId, settings, { serviceSecret: OLD, holdMs: 0 });
  await sql('update lp_webhook set stopped_at = now() where lp_id = $1', [lpId]);
  const warned = async (): Promise<Buffer[]> =>
    (await sql('select secret from warned_webhook where lp_id = $1', [lpId])).map(({ secret }) => secret);
  const opened = async (secret: string) =>
    (await warned()).map((sealed) => openSecret(sealed, { kind: 'lp', id: lpId }, secret));
  const before = await opened(OLD);
  expect(before).toEqual([expect.any(String), expect.any(String)]);
  const sealed = await warned();
  await resealLpSecrets(books.db, { webhookSecret: OLD, secondWebhookSecret: NEW });
  await resealLpSecrets(books.db, { webhookSecret: NEW });
  expect(await warned()).toEqual(sealed);
  await resealLpSecrets(books.db, { webhookSecret: NEW, secondWebhookSecret: OLD });
  expect(await opened(NEW)).toEqual(before);
  const resealed = await warned();
  await resealLpSecrets(books.db, { webhookSecret: NEW, secondWebhookSecret: OLD });
  expect(await warned()).toEqual(resealed);
});

test('an LP’s webhooks stop if the service’s secret was replaced without a rotation', async () => {
  const { lpId } = await newHook();
  // It would keep its order from being masked.
  await sql(`insert into webhook_delivery (lp_id, lp_event, body) values ($1, 'lp.float_low', '{}')`, [lpId]);
  expect(await open(lpId, 'another secret')).toBeUndefined();
  expect(await sql('select from webhook_delivery where lp_id = $1', [lpId])).toEqual([]);
  const [row] = await sql('select stopped_at, last_error from lp_webhook where lp_id = $1', [lpId]);
  expect([row.stopped_at !== null, row.last_error]).toEqual([
    true,
    expect.stringContaining('Set the URL again'),
  ]);
});

test('the removal of webhooks drops those that wait, also without a webhook that is on', async () => {
  const { lpId } = await newHook();
  await sql('delete from lp_webhook where lp_id = $1', [lpId]);
  await sql(`insert into webhook_delivery (lp_id, lp_event, body) values ($1, 'lp.float_low', '{}')`, [lpId]);
  await removeLpWebhook(books.db, lpId, 0);
  expect(await sql('select from webhook_delivery where lp_id = $1', [lpId])).toEqual([]);
});

test('a secret that was copied to another LP’s row does not sign for that LP', async () => {
  const [one, other] = [await newHook(), await newHook()];
  const copy =
    'update lp_webhook set secret = (select secret from lp_webhook where lp_id = $2) where lp_id = $1';
  await sql(copy, [one.lpId, other.lpId]);
  expect(await open(one.lpId, OLD)).toBeUndefined();
});

test('several concurrent readers write each webhook once', async () => {
  const { lpId } = await newHook();
  await books.deposit(lpId, '1000');
  const hooks = (await activeWebhooks(books.db, { webhookSecret: OLD }, log)).filter(
    (hook) => hook.lpId === lpId,
  );
  const ids: number[] = [];
  for (let i = 0; i < 5; i++) {
    const draft = await books.draft(lpId, '1295');
    await books.create(draft);
    await books.apply(draft.id, { trigger: 'claim', lpId, validUntil: 'infinity' });
    ids.push(draft.id);
    const readers = Array.from({ length: 4 }, () => queueNewEvents(books.db, hooks, async () => hooks));
    expect((await Promise.allSettled(readers)).filter(({ status }) => status === 'rejected')).toEqual([]);
  }
  await waitForOlderTransactions(books.db);
  await queueNewEvents(books.db, hooks, async () => hooks);
  const rows = await sql('select order_id, lp_event from webhook_delivery where lp_id = $1 order by id', [
    lpId,
  ]);
  expect(rows.map(({ order_id, lp_event }) => `${order_id} ${lp_event}`)).toEqual(
    ids.flatMap((id) => [`${id} order.open`, `${id} order.closed`, `${id} order.updated`]),
  );
});

test('upkeep deletes only old webhooks of LPs and those that nobody will send, with their attempts', async () => {
  const { lpId } = await newHook();
  const { id: order, ...draft } = await books.draft(lpId, '1295');
  await books.create({ ...draft, id: order, callback_url: 'https://shop.example/' });
  const add = async (event: string | null, age: string | null, lpId: number) => {
    const [row] = await sql(
      `insert into webhook_delivery (order_id, seq, lp_id, lp_event, state, attempts, finished_at)
       values ($1, 1, $2, $3, $4, 1, now() - $5::interval) returning id`,
      [order, event && lpId, event, age ? 'delivered' : 'pending', age],
    );
    await sql(
      'insert into webhook_attempt (delivery_id, attempt, status_code, duration_ms) values ($1, 1, 200, 1)',
      [row.id],
    );
    return row.id;
  };
  const [off, stopped] = [await newHook(), await newHook()];
  await removeLpWebhook(books.db, off.lpId, 0);
  await sql('update lp_webhook set stopped_at = now() where lp_id = $1', [stopped.lpId]);
  const useless = [
    await add('order.open', '8 days', lpId),
    await add('order.open', null, off.lpId),
    await add('order.open', null, stopped.lpId),
  ];
  const kept = [
    await add('order.closed', '6 days', lpId),
    await add('lp.strike', null, lpId),
    await add(null, '8 days', lpId),
    await add('order.closed', '6 days', off.lpId),
  ];
  await Promise.all(pruneJobs(books.db).map(({ run }) => run()));
  const all = [[...useless, ...kept]];
  expect(await sql('select id from webhook_delivery where id = any($1) order by id', all)).toEqual(
    kept.map((id) => ({ id })),
  );
  expect(await sql('select delivery_id from webhook_attempt where delivery_id = any($1)', all)).toHaveLength(
    kept.length,
  );
});
