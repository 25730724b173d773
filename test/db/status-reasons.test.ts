import { afterAll, expect, test } from '@jest/globals';
import {
  REASON_CODES,
  type ReasonCode,
  reasonText,
  STATUS_REASONS,
  type StatusReason,
} from '../../src/domain/status-reasons.ts';
import { reasonSql } from '../../src/orders/steps/shared/reason-sql.ts';
import { openBooks } from '../support/books.ts';

const books = await openBooks();
afterAll(() => books.db.close());
const query = async (sql: string, values: unknown[] = []) => (await books.db.pool.query(sql, values)).rows;

/** A value for each name in the text, which a careless statement would not survive. */
const valuesOf = (code: ReasonCode, value: (name: string) => string): Record<string, string> =>
  Object.fromEntries(
    [...STATUS_REASONS[code].text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, value(name)]),
  );

test('the database makes the same text of every reason as the table', async () => {
  const made = REASON_CODES.map((code) =>
    reasonSql(code, valuesOf(code, (name) => `'it''s ${name}'`) as never),
  );
  const rows = await query(
    made.map(({ text, code }) => `select ${text} as text, ${code} as code`).join(' union all '),
  );
  const expected = REASON_CODES.map((code) => ({
    text: reasonText({ code, values: valuesOf(code, (name) => `it's ${name}`) } as StatusReason),
    code,
  }));
  expect(rows).toEqual(expect.arrayContaining(expected));
  expect(rows).toHaveLength(REASON_CODES.length);
});

test('a row has both the text and the code of its reason, or neither', async () => {
  const lp = await books.newLp();
  const draft = await books.draft(lp, '1295');
  await books.create(draft);
  const set = (assignments: string) => query(`update orders set ${assignments} where id = $1`, [draft.id]);
  for (const half of [`status_reason = 'x'`, `status_reason_code = 'note'`])
    await expect(set(half)).rejects.toThrow('orders_status_reason_check');
  await set(`status_reason = 'x', status_reason_code = 'note'`);
  const event = (columns: string, values: string) =>
    query(
      `insert into order_event (order_id, seq, status, actor, cause, snapshot, ${columns})
       values ($1, 2, 'matched', 'service', 'freeze', '{}', ${values})`,
      [draft.id],
    );
  for (const column of ['reason', 'reason_code'])
    await expect(event(column, `'note'`)).rejects.toThrow('order_event_reason_check');
  await event('reason, reason_code', `'x', 'note'`);
});
