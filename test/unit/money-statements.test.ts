import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { post } from '../../src/ledger/post.ts';
import { committedFiles, expectedFiles } from '../support/statement-files.ts';

const expected = expectedFiles();

test.each([...expected.keys()])('%s is the statement that Corridor runs', (name) => {
  // After an intended change, run npm run record:statements and review the difference.
  expect(committedFiles().get(name)).toBe(expected.get(name));
});

test('there is no file without a statement', () => {
  expect([...committedFiles().keys()].sort()).toEqual([...expected.keys()].sort());
});

const SOURCES = globSync('{src,workflows,activities}/**/*.ts', { exclude: ['src/db/migrations/**'] });
/** Files whose text matches, outside the ledger's own folder. */
const filesWith = (pattern: RegExp) =>
  SOURCES.filter((file) => !file.startsWith('src/ledger/') && pattern.test(readFileSync(file, 'utf8')));

test('only src/ledger writes balances and transfers', () => {
  expect(SOURCES.length).toBeGreaterThan(100);
  const writes =
    /\b(insert\s+into|update|delete\s+from|merge\s+into|truncate)\s+(only\s+)?"?(lp_collateral|ledger_transfer)\b/i;
  expect(filesWith(writes)).toEqual([]);
  // The ORM could write them too.
  expect(
    filesWith(
      /\.(insert|insertMany|upsert|upsertMany|create|nativeUpdate|nativeDelete)\(\s*(LpCollateral|LedgerTransfer)\b/,
    ),
  ).toEqual([]);
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
