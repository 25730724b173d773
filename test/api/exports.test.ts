import { describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { ADMIN_KEY } from '../support/corridor.ts';
import { eventually } from '../support/eventually.ts';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor();
const { admin, db } = corridor;
const DAY = 86_400_000;
const RANGE = {
  from: new Date(Date.now() - DAY).toISOString(),
  to: new Date(Date.now() + DAY).toISOString(),
};

const agent = await corridor.newAgent();
const lp = await corridor.newLp();
const orderId = await corridor.completedOrder(agent, lp, { recipient_name: 'Jane Wanjiku' });
await db.pool.query(`update agent_key set name = '=cmd()' where id = $1`, [agent.keyId]);
const body = { debit: 'platform:fees', credit: 'outside', amount: 0.01, reason: '-1; "x", y' };
const headers = { 'idempotency-key': 'p1' };
await expectStatus(201, admin('POST', '/api/admin/ledger/adjustments', body, headers));

const pathOf = (file: string, query: object = {}) =>
  `/api/admin/exports/${file}?${new URLSearchParams({ ...RANGE, ...query })}`;
const text = async (file: string, query: object = {}): Promise<string> =>
  (await expectStatus(200, admin('GET', pathOf(file, query)))).toString();
/** The rows of a file without quotation marks, by the names in its first line. */
const rowsOf = (csv: string): Record<string, string>[] => {
  const [names = [], ...rows] = csv
    .trim()
    .split('\r\n')
    .map((line) => line.split(','));
  return rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i] ?? ''])));
};

describe('an export', () => {
  test('of orders has one line for each, without recipients, and no formulas', async () => {
    const open = await agent.newOrder();
    const answer = await admin('GET', pathOf('orders.csv'));
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="orders-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d.csv"$/,
    );
    const csv = answer.body.toString();
    expect(csv).not.toMatch(/Jane|254700/);
    expect(rowsOf(csv)).toMatchObject([
      {
        order_id: String(orderId),
        status: 'completed',
        agent_name: "'=cmd()",
        lp_id: String(lp.id),
        currency: 'KES',
      },
      { order_id: String(open), status: 'matched', ended_at: '', tx_hash: '' },
    ]);
  });

  test('of the ledger has every transfer, and keeps free text from being a formula', async () => {
    const csv = await text('ledger.csv');
    const { rows } = await db.pool.query('select id, amount from ledger_transfer order by created_at, id');
    expect(rowsOf(csv).map((row) => [Number(row.transfer_id), row.amount_usd])).toEqual(
      rows.map(({ id, amount }) => [id, amount]),
    );
    expect(csv).toContain(`"'-1; ""x"", y"`);
  });

  test('of an LP is the same for the LP and for admins, and of its own orders and money only', async () => {
    const other = await corridor.newLp();
    for (const file of ['history.csv', 'statement.csv']) {
      const csv = await text(file, { lp_id: String(lp.id) });
      const own = `/api/lp/${lp.key}/exports/${file}?${new URLSearchParams(RANGE)}`;
      expect((await expectStatus(200, lp.call('GET', own))).toString()).toBe(csv);
      expect((await other.call('GET', own)).status).toBe(401);
      expect(await text(file, { lp_id: String(other.id) })).not.toContain(`order/${orderId}`);
    }
    const history = rowsOf(await text('history.csv', { lp_id: String(lp.id) }));
    expect(history).toMatchObject([{ order_id: String(orderId), amount_fiat: '1295.00' }]);
    expect((await admin('GET', pathOf('history.csv', { lp_id: '999999' }))).status).toBe(404);
    expect((await admin('GET', pathOf('statement.csv', { lp_id: '999999' }))).status).toBe(404);
  });

  test('of a statement begins with the opening balances, and ends with those that the LP has', async () => {
    const statement = rowsOf(await text('statement.csv', { lp_id: String(lp.id) }));
    expect(statement[0]).toMatchObject({ entry: 'opening', available_usd: '0.000000' });
    const { available, locked } = await corridor.collateralOf(lp);
    const closing = statement.at(-1);
    expect(closing?.entry).toBe('closing');
    expect(Math.trunc(Number(closing?.available_usd) * 100) / 100).toBe(available);
    expect(Number(closing?.locked_usd)).toBe(locked);
    const later = { from: RANGE.to, to: new Date(Date.parse(RANGE.to) + DAY).toISOString() };
    const next = rowsOf(await text('statement.csv', { lp_id: String(lp.id), ...later }));
    expect(next.map(({ entry }) => entry)).toEqual(['opening', 'closing']);
    expect(next[0]?.available_usd).toBe(closing?.available_usd);
  });

  test.each([
    [{ from: RANGE.to, to: RANGE.from }, 'must be after from'],
    [{ to: RANGE.from }, 'must be after from'],
    [{ from: '2024-01-01', to: '2025-01-02' }, 'must be at most 366 days after from'],
    [{ from: 'yesterday' }, ''],
    [{ to: '' }, ''],
  ])('refuses the range %j', async (query, problem) => {
    const lpId = { lp_id: String(lp.id) };
    const calls = [
      ...['orders.csv', 'ledger.csv', 'ledger.journal'].map((file) => admin('GET', pathOf(file, query))),
      ...['history.csv', 'statement.csv'].flatMap((file) => {
        const own = `/api/lp/${lp.key}/exports/${file}?${new URLSearchParams({ ...RANGE, ...query })}`;
        return [admin('GET', pathOf(file, { ...query, ...lpId })), lp.call('GET', own)];
      }),
    ];
    for (const { status, body } of await Promise.all(calls)) {
      expect(status).toBe(400);
      expect(JSON.stringify(body)).toContain(problem);
    }
  });

  test('of many rows is read page by page, and each row once', async () => {
    await db.pool.query(
      `insert into ledger_transfer (key, debit, credit, amount, created_at)
       select 'many/' || n, 'outside', 'platform:fees', 1, date_trunc('day', now()) - interval '20 days'
       from generate_series(1, 2500) n`,
    );
    const [from, to] = [30, 10].map((days) => new Date(Date.now() - days * DAY).toISOString());
    const rows = rowsOf(await text('ledger.csv', { from, to }));
    expect(new Set(rows.map(({ key }) => key)).size).toBe(2500);
    expect(rows.length).toBe(2500);
  });

  test('stops reading when its client leaves', async () => {
    await db.pool.query(
      `insert into ledger_transfer (key, debit, credit, amount, created_at)
       select 'long/' || n, 'outside', 'platform:fees', 1, now() - interval '60 days' from generate_series(1, 60000) n`,
    );
    const [from, to] = [70, 50].map((days) => new Date(Date.now() - days * DAY).toISOString());
    let pages = 0;
    const service = corridor.shared.db;
    const { query } = service;
    service.query = async (name, sql, values) => {
      if (name === 'export-ledger') pages += 1;
      return query(name, sql, values);
    };
    try {
      const leaving = new AbortController();
      const headers = { authorization: `Bearer ${ADMIN_KEY}` };
      const url = corridor.config.publicUrl + pathOf('ledger.csv', { from, to });
      const response = await fetch(url, { headers, signal: leaving.signal });
      await response.body?.getReader().read();
      leaving.abort();
      let seen = -1;
      await eventually(async () => {
        const still = seen === pages;
        seen = pages;
        return still;
      });
      expect(pages).toBeGreaterThan(0);
      expect(pages).toBeLessThan(60);
    } finally {
      service.query = query;
    }
  });
});
