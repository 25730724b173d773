import { afterAll, expect, test } from '@jest/globals';
import { LIVE_ORDERS, seed } from '../../bench/growth/seeding.ts';
import { LEDGER as EXPORTED_LEDGER } from '../../src/api/resources/exports/ledger.ts';
import { ORDERS as EXPORTED_ORDERS } from '../../src/api/resources/exports/orders.ts';
import { FIND, searchValues } from '../../src/api/resources/search/find.ts';
import { openDatabase } from '../../src/db/orm.ts';
import { bind } from '../../src/db/statement.ts';
import { reasonOf } from '../../src/domain/status-reasons.ts';
import { feesOf } from '../../src/market/collateral/balance.ts';
import { checkInvariants } from '../../src/operations/diagnosis/check-invariants.ts';
import { NEXT } from '../../src/operations/retention/forget-user.ts';
import { DUE } from '../../src/operations/retention/mask-ended-orders.ts';
import { SERVICE_FACTS, serviceFacts } from '../../src/operations/statistics/service-facts.ts';
import { THROUGHPUT } from '../../src/operations/statistics/throughput.ts';
import { stepQuery } from '../../src/orders/steps/registry.ts';
import { NO_LIMITS } from '../../src/orders/steps/shared/step.ts';
import { recordHeartbeatAndShiftDeadlines } from '../../src/orders/steps/shift-deadlines.ts';
import { createLogger } from '../../src/process/log.ts';
import { freshDatabase } from '../support/database.ts';
import { stateOf } from '../support/take-step.ts';

/** The seeded data of the growth benchmark, and its main result: no call reads all rows of the past. */

const ORDERS = 3_000;

const databaseUrl = await freshDatabase();
const actors = await seed({ databaseUrl, orders: ORDERS });
const db = await openDatabase({ url: databaseUrl, debug: () => undefined });
afterAll(() => db.close());

test('the seeded orders satisfy every invariant', async () => {
  expect(await checkInvariants({ db, log: createLogger('silent') })).toEqual([]);
  const { completed, cancelled, disputed, ...live } = (await serviceFacts(db)).orders;
  expect(completed + cancelled).toBe(ORDERS);
  expect(disputed).toBe(0);
  expect(Object.values(live).reduce((sum, count) => sum + count, 0)).toBe(LIVE_ORDERS);
});

/** The plan's nodes that read a table, each with the table or index. */
async function readsOf(text: string, values: unknown[]): Promise<string[]> {
  const { rows } = await db.pool.query(`explain (format json) ${text}`, values);
  const reads: string[] = [];
  const look = (node: Record<string, unknown>) => {
    const of = node['Index Name'] ?? node['Relation Name'];
    if (of && node['Node Type'] !== 'ModifyTable') reads.push(`${node['Node Type']} ${of}`);
    for (const child of (node.Plans ?? []) as Record<string, unknown>[]) look(child);
  };
  look(rows[0]['QUERY PLAN'][0].Plan);
  return reads;
}

test('the metrics read no ended orders', async () => {
  const reads = await readsOf(SERVICE_FACTS, []);
  expect(reads.filter((read) => read.endsWith('orders_live'))).not.toEqual([]);
  for (const table of ['orders', 'order_event', 'webhook_delivery']) {
    expect(reads).not.toContain(`Seq Scan ${table}`);
  }
});

test('rejecting a transaction finds it by its order', async () => {
  const { text, values } = stepQuery(
    'rejectTransaction',
    {
      ...{ orderId: 1, actor: 'service', requestId: '00000000-0000-4000-8000-000000000000' },
      state: { ...(await stateOf(db, 1)), version: 5, status: 'crypto_verify_pending' },
      command: { trigger: 'invalid', version: 5, reason: reasonOf('other_address') },
    },
    NO_LIMITS,
  );
  const reads = await readsOf(text, values);
  expect(reads.filter((read) => read.includes('chain_transaction'))).not.toEqual([]);
  expect(reads).not.toContain('Seq Scan chain_transaction');
});

test('old orders are found by an index on time', async () => {
  const { rows } = await db.pool.query('select created_at from orders where id = 300');
  const until = new Date(rows[0].created_at);
  const from = new Date(until.getTime() - 60_000);
  const reads = await readsOf(
    'select * from orders where created_at >= $1 and created_at < $2 order by id desc limit 21',
    [from, until],
  );
  expect(reads).toContainEqual(expect.stringMatching(/Index Scan orders_created$/));
});

test('an index finds that an LP has no fees', async () => {
  const newcomer = actors.lps.at(-1)?.id ?? 0;
  expect(await feesOf(db, newcomer, 20)).toEqual([]);
  const reads = await readsOf(
    `select order_id, amount from ledger_transfer
     where debit = $1 and credit = 'platform:fees' and order_id is not null order by id desc limit 20`,
    [`lp:${newcomer}:available`],
  );
  expect(reads).toContainEqual(expect.stringMatching(/^(Bitmap )?Index Scan ledger_transfer_fees$/));
  expect(reads).not.toContain('Seq Scan ledger_transfer');
});

test.each(['17', 'pay_1', 'pay_12ab', 'ab12cd34', 'a name'])(
  'a search for %s reads every table by an index',
  async (text) => {
    const { text: sql, values } = bind(FIND, searchValues(text));
    const reads = await readsOf(sql, values);
    for (const index of ['orders_pkey', 'orders_payment_id_unique', 'orders_tx_hash'])
      expect(reads).toContainEqual(expect.stringMatching(new RegExp(`^(Bitmap )?Index Scan ${index}$`)));
    expect(reads.filter((read) => /^Seq Scan (orders|chain_transaction)$/.test(read))).toEqual([]);
  },
);

test('a page of an export reads one range of an index', async () => {
  const to = new Date();
  const from = new Date(to.getTime() - 7 * 3_600_000);
  const page = { from, to, afterAt: '-infinity', afterId: 0, limit: 100 };
  for (const [exported, index, table] of [
    [EXPORTED_ORDERS, 'orders_created', 'orders'],
    [EXPORTED_LEDGER, 'ledger_transfer_time', 'ledger_transfer'],
  ] as const) {
    const { text, values } = bind(exported, page);
    const reads = await readsOf(text, values);
    expect(reads).toContainEqual(expect.stringMatching(new RegExp(`Index Scan ${index}$`)));
    expect(reads).not.toContain(`Seq Scan ${table}`);
  }
});

test('masking finds its orders by an index', async () => {
  for (const [sql, values] of [
    [DUE, [1_000, '-infinity', 0, 100]],
    [NEXT, [1, 0, 50]],
  ] as const) {
    const reads = await readsOf(sql, [...values]);
    expect(reads).toContainEqual(expect.stringMatching(/^(Bitmap )?Index Scan orders_(unmasked|user|pkey)$/));
    expect(reads).not.toContain('Seq Scan orders');
  }
});

test('the throughput of the last hour uses an index on time', async () => {
  const reads = await readsOf(THROUGHPUT, [60, 60]);
  expect(reads).toContain('Bitmap Index Scan order_event_time');
  expect(reads).not.toContain('Seq Scan order_event');
});

test('an index finds the exhausted webhooks', async () => {
  const reads = await readsOf(
    'select * from webhook_delivery where state = $1 and id < $2 order by id desc limit 21',
    ['exhausted', 1_000_000],
  );
  expect(reads).toContainEqual(expect.stringMatching(/^(Bitmap )?Index Scan webhook_delivery_exhausted$/));
});

test('a service heartbeat reads no order while the service is available', async () => {
  const watched = await openDatabase({ url: databaseUrl, poolSize: 1, debug: () => undefined });
  const plans: string[] = [];
  try {
    const client = await watched.pool.connect();
    client.on('notice', ({ message }) => plans.push(String(message)));
    await client.query(
      `load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_analyze = on;
       set client_min_messages = log`,
    );
    client.release();
    await recordHeartbeatAndShiftDeadlines(watched, 60_000);
    plans.length = 0;
    expect(await recordHeartbeatAndShiftDeadlines(watched, 60_000)).toBe(0);
  } finally {
    await watched.close();
  }
  expect(plans.join('\n')).toContain('on service_heartbeat');
  expect(plans.join('\n')).not.toMatch(/ on (orders|order_event) /);
});
