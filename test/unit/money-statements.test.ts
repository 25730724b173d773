import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { post } from '../../src/db/ledger/post.ts';
import { committedFiles, expectedFiles } from '../support/statement-files.ts';

const expected = expectedFiles();

test.each([...expected.keys()])(
  '%s is the statement that Corridor runs; if you meant to change it, npm run record:statements',
  (name) => {
    // After an intended change, run npm run record:statements and review the difference.
    expect(committedFiles().get(name)).toBe(expected.get(name));
  },
);

test('there is no file without a statement', () => {
  expect([...committedFiles().keys()].sort()).toEqual([...expected.keys()].sort());
});

const SOURCES = globSync('{src,workflows,activities}/**/*.ts', { exclude: ['src/db/migrations/**'] });
/** Files outside a folder whose text matches. */
const filesWith = (pattern: RegExp, outside: string) =>
  SOURCES.filter((file) => !file.startsWith(outside) && pattern.test(readFileSync(file, 'utf8')));
/** Matches SQL that writes one of the tables. */
const sqlThatWrites = (tables: string) =>
  new RegExp(
    `\\b(insert\\s+into|update|delete\\s+from|merge\\s+into|truncate)\\s+(only\\s+)?"?(${tables})\\b`,
    'i',
  );
/** Matches calls of the ORM that write one of the entities. */
const ormThatWrites = (entities: string) =>
  new RegExp(
    `\\.(insert|insertMany|upsert|upsertMany|create|nativeUpdate|nativeDelete)\\(\\s*(${entities})\\b`,
  );

test('only src/db/ledger writes balances and transfers', () => {
  expect(SOURCES.length).toBeGreaterThan(100);
  expect(filesWith(sqlThatWrites('lp_collateral|ledger_transfer'), 'src/db/ledger/')).toEqual([]);
  expect(filesWith(ormThatWrites('LpCollateral|LedgerTransfer'), 'src/db/ledger/')).toEqual([]);
});

test('only src/orders writes orders', () => {
  expect(filesWith(sqlThatWrites('orders'), 'src/orders/')).toEqual([]);
  expect(filesWith(ormThatWrites('Order'), 'src/orders/')).toEqual([]);
  // The pattern finds the writes that there are.
  expect(filesWith(sqlThatWrites('orders'), 'src/db/ledger/')).toContain('src/orders/record-receipt.ts');
});

test('a posting updates each balance once, by the sum of its transfers', () => {
  const sql = post({
    source: 'order',
    row: 'o',
    amounts: { slash: 'o.s', release: 'o.c - o.s', fee: 'o.f' },
  });
  expect(sql.match(/update lp_collateral/g)).toHaveLength(1);
  expect(sql).toContain('locked = lp_collateral.locked - o.s - (o.c - o.s)');
  expect(sql).toContain('available = lp_collateral.available + (o.c - o.s) - o.f');
});

test('a posting cannot name a transfer that its source does not make', () => {
  const amounts = { payout: '1' } as Record<string, string>;
  expect(() => post({ source: 'order', row: 'o', amounts })).toThrow(
    "TRANSFERS.order has no purpose 'payout'",
  );
});
