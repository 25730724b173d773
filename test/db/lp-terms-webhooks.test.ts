import { afterAll, expect, test } from '@jest/globals';
import { publishTerms, setQuoting, type TermsChange } from '../../src/market/lps/publish-terms.ts';
import { removeLpWebhook, setLpWebhook } from '../../src/notify/lp-webhooks/configure.ts';
import {
  FLOAT_LOW,
  MOST,
  queueTermsEvents,
  RATE_EXPIRED,
} from '../../src/notify/lp-webhooks/queue-terms-events.ts';
import { openBooks } from '../support/books.ts';
import { eventually } from '../support/eventually.ts';

/** LPs' webhooks about their terms, with only a database. */
const books = await openBooks();
afterAll(() => books.db.close());

const SECRET = 'a webhook secret of the service';
const turnOn = (lpId: number, events: ('order.open' | 'lp.rate_expired' | 'lp.float_low')[]) =>
  setLpWebhook(
    books.db,
    lpId,
    { url: 'https://lp.example/', events, overlap: 0 },
    {
      serviceSecret: SECRET,
      holdMs: 0,
    },
  );
async function newLp({ hook = true } = {}): Promise<number> {
  const lpId = await books.newLp();
  await books.deposit(lpId, '1000');
  if (hook) await turnOn(lpId, ['lp.rate_expired', 'lp.float_low']);
  return lpId;
}
const publish = (lpId: number, change: TermsChange) =>
  publishTerms(books.db, { lpId, currency: 'KES', method: 'mobile_money' }, change);
const sql = async (text: string, values: unknown[] = []) => (await books.db.pool.query(text, values)).rows;
/** Lets the rate expire, and waits until the database's clock has passed its end. */
async function expire(lpId: number): Promise<void> {
  await publish(lpId, { rate: { rate_usd: '129.5', validForMs: 1 } });
  const ended = 'select from lp_term where lp_id = $1 and valid_until <= now()';
  await eventually(async () => (await sql(ended, [lpId])).length === 1);
}
const written = async (
  lpId: number,
): Promise<{ type: string; timestamp: string; data: Record<string, unknown> }[]> =>
  (await sql('select body from webhook_delivery where lp_id = $1 order by id', [lpId])).map(({ body }) =>
    JSON.parse(body),
  );
/** Several workers check the terms at the same time. */
const look = () => Promise.all(Array.from({ length: 4 }, () => queueTermsEvents(books.db)));
const events = async (lpId: number) => {
  await look();
  // A check skips terms that another check has locked.
  await queueTermsEvents(books.db);
  return (await written(lpId)).map(({ type }) => type);
};
async function claim(lpId: number, amount: string): Promise<number> {
  const draft = await books.draft(lpId, amount);
  await books.create(draft);
  await books.apply(draft.id, { trigger: 'claim', lpId, validUntil: 'infinity' });
  return draft.id;
}

test('each expiry of a rate is reported once, with any number of workers, and with the terms', async () => {
  const lpId = await newLp();
  expect(await events(lpId)).toEqual([]);
  await expire(lpId);
  expect(await events(lpId)).toEqual(['lp.rate_expired']);
  await publish(lpId, { max: '5000' });
  expect(await events(lpId)).toEqual(['lp.rate_expired']);
  const [{ valid_until }] = await sql('select valid_until from lp_term where lp_id = $1', [lpId]);
  const at = new Date(valid_until).toISOString();
  expect(await written(lpId)).toEqual([
    {
      type: 'lp.rate_expired',
      timestamp: at,
      data: { currency: 'KES', method: 'mobile_money', rate_usd: 129.5, offset_bps: null, valid_until: at },
    },
  ]);
  await publish(lpId, { rate: { rate_usd: '130', validForMs: 86_400_000 } });
  expect(await events(lpId)).toEqual(['lp.rate_expired']);
  await expire(lpId);
  expect(await events(lpId)).toEqual(['lp.rate_expired', 'lp.rate_expired']);
});

test('an expiry or a low float of a corridor that the LP does not quote is reported when it quotes again', async () => {
  const lpId = await newLp();
  await setQuoting(books.db, lpId, 'KES', false);
  await expire(lpId);
  await publish(lpId, { float: '1', float_low: '2' });
  expect(await events(lpId)).toEqual([]);
  await setQuoting(books.db, lpId, 'KES', true);
  expect(await events(lpId)).toEqual(['lp.rate_expired', 'lp.float_low']);
  // Stopping and resuming is not a new event.
  for (const quoting of [false, true]) await setQuoting(books.db, lpId, 'KES', quoting);
  expect(await events(lpId)).toEqual(['lp.rate_expired', 'lp.float_low']);
});

test('a low float is reported once, and again only after it was no longer low', async () => {
  const lpId = await newLp();
  await publish(lpId, { float: '5000', float_low: '4000' });
  expect(await events(lpId)).toEqual([]);
  const first = await claim(lpId, '1000');
  expect(await events(lpId)).toEqual([]);
  await claim(lpId, '0.01');
  expect(await events(lpId)).toEqual(['lp.float_low']);
  expect((await written(lpId))[0]).toEqual({
    type: 'lp.float_low',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    data: {
      currency: 'KES',
      method: 'mobile_money',
      float: 3999.99,
      float_reserved: 1000.01,
      float_low: 4000,
    },
  });
  await claim(lpId, '500');
  await publish(lpId, { float: '3999.98' });
  expect(await events(lpId)).toEqual(['lp.float_low']);
  // The float rises, and falls again before the next check.
  await publish(lpId, { float: '4000' });
  await claim(lpId, '700');
  expect(await events(lpId)).toEqual(['lp.float_low', 'lp.float_low']);
  // As when an order returns its fiat.
  await books.apply(first, { trigger: 'release', lpId, freeSince: new Date().toISOString() });
  expect((await sql('select float_low_reported from lp_term where lp_id = $1', [lpId]))[0]).toEqual({
    float_low_reported: false,
  });
  await claim(lpId, '600');
  expect(await events(lpId)).toEqual(['lp.float_low', 'lp.float_low', 'lp.float_low']);
});

test('without a float, or without a limit, no float is low', async () => {
  const lpId = await newLp();
  await publish(lpId, { float: null, float_low: '4000' });
  expect(await events(lpId)).toEqual([]);
  await publish(lpId, { float: '1', float_low: null });
  expect(await events(lpId)).toEqual([]);
});

test('an LP whose webhooks are off or stopped, or that did not select the event, gets nothing, now or later', async () => {
  const [off, stopped, others] = [await newLp({ hook: false }), await newLp(), await newLp({ hook: false })];
  await sql('update lp_webhook set stopped_at = now() where lp_id = $1', [stopped]);
  await turnOn(others, ['order.open']);
  for (const lpId of [off, stopped, others]) {
    await publish(lpId, { float: '1', float_low: '2' });
    await expire(lpId);
    expect(await events(lpId)).toEqual([]);
    await turnOn(lpId, ['lp.rate_expired', 'lp.float_low']);
    expect(await events(lpId)).toEqual([]);
    await expire(lpId);
    expect(await events(lpId)).toEqual(['lp.rate_expired']);
    await removeLpWebhook(books.db, lpId, 0);
  }
});

test('a check does not wait for terms that a transaction is changing, and reports them afterwards', async () => {
  const [held, free] = [await newLp(), await newLp()];
  for (const lpId of [held, free]) await expire(lpId);
  const client = await books.db.pool.connect();
  try {
    await client.query('begin');
    await client.query('select from lp_term where lp_id = $1 for update', [held]);
    expect([await events(held), await events(free)]).toEqual([[], ['lp.rate_expired']]);
    await client.query('commit');
  } finally {
    client.release();
  }
  expect(await events(held)).toEqual(['lp.rate_expired']);
});

test('one check reports everything that is due', async () => {
  const lpId = await newLp();
  const expired = `insert into lp_term (lp_id, currency, method, rate_usd, valid_until)
    select $1, 'KES', 'm' || n, 1, now() from generate_series(1, $2::int) n`;
  await sql(expired, [lpId, 2 * MOST + 1]);
  await queueTermsEvents(books.db);
  expect(await written(lpId)).toHaveLength(2 * MOST + 1);
});

test('a check reads only terms that must still be reported, however many there are', async () => {
  const lpId = await newLp({ hook: false });
  const reported = `
    insert into lp_term (lp_id, currency, method, rate_usd, valid_until, expiry_reported, float_available, float_low,
      float_low_reported)
    select $1, 'KES', 'm' || n, 1, at, at, 1, 2, true
    from generate_series(1, 5000) n, lateral (select date_trunc('second', now()) - n * interval '1 second' as at) at`;
  await sql(reported, [lpId]);
  await sql('vacuum analyze lp_term');
  for (const [statement, index] of [
    [RATE_EXPIRED, 'lp_term_expiry'],
    [FLOAT_LOW, 'lp_term_low'],
  ] as const) {
    const rows = await sql(`explain analyze ${statement}`);
    const reads = rows.map((row): string => row['QUERY PLAN']).filter((line) => line.includes(' Scan '));
    const ofTerms = reads.filter((line) => line.includes('on lp_term'));
    expect(ofTerms).toContainEqual(expect.stringContaining(`Index Scan using ${index} on lp_term`));
    // A hash join reads the first row of a table before it detects that there is nothing to join.
    const rowsRead = ofTerms.map((line) => Number(/actual .*rows=(\d+)/.exec(line)?.[1] ?? 0));
    expect(Math.max(...rowsRead)).toBeLessThanOrEqual(1);
  }
  await sql('delete from lp_term where lp_id = $1', [lpId]);
});

test('only a webhook about terms may have no order, and only with a body', async () => {
  const lpId = await newLp();
  const order = await claim(lpId, '1000');
  const add = (...row: unknown[]) =>
    sql(
      'insert into webhook_delivery (lp_id, lp_event, order_id, seq, body) values ($1, $2, $3, $4, $5)',
      row,
    );
  const refused = 'webhook_delivery_order_check';
  for (const row of [
    [lpId, 'lp.float_low', order, 1, '{}'],
    [lpId, 'lp.float_low', null, 1, '{}'],
    [lpId, 'lp.rate_expired', null, null, null],
    [lpId, 'order.open', null, null, '{}'],
    [lpId, 'lp.strike', order, null, null],
    [null, null, null, null, '{}'],
    [null, null, order, null, null],
  ])
    await expect(add(...row)).rejects.toMatchObject({ constraint: refused });
  await add(lpId, 'lp.float_low', null, null, '{}');
});
