import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  MAX_REASON_LENGTH,
  REASON_CODES,
  REASON_READERS,
  reasonOf,
  reasonShownTo,
  reasonText,
  STATUS_REASONS,
  textParts,
} from '../../src/domain/status-reasons.ts';
import { reasonSql } from '../../src/orders/steps/shared/reason-sql.ts';
import { ROOT } from '../support/client-package.ts';

const TABLE = 'src/domain/status-reasons.ts';
const sources = new Map(
  globSync('{src,activities,workflows}/**/*.ts', { cwd: ROOT }).map((file) => [
    file,
    readFileSync(join(ROOT, file), 'utf8'),
  ]),
);

describe('the table of reasons', () => {
  test.each(REASON_CODES)('has the reason %s, which a file that imports the table gives', (code) => {
    const givers = [...sources].filter(
      ([file, text]) =>
        file !== TABLE && /\/(status-reasons|reason-sql)\.ts'/.test(text) && text.includes(`'${code}'`),
    );
    const isNote = code === 'note' && [...sources.values()].some((text) => text.includes('noteOf('));
    expect(givers.length > 0 || isNote).toBe(true);
  });

  test.each(REASON_CODES)('has %s in lower case, with a text that fits its column, for somebody', (code) => {
    expect(code).toMatch(/^[a-z][a-z_]{2,39}$/);
    expect(STATUS_REASONS[code].text.length).toBeLessThan(MAX_REASON_LENGTH);
    expect(STATUS_REASONS[code].recipients.length).toBeGreaterThan(0);
  });

  test('is on the page of the lifecycle; if not, run "npm run docs:lifecycle"', () => {
    const page = readFileSync(join(ROOT, 'docs/lifecycle.md'), 'utf8');
    expect(
      REASON_CODES.filter((code) => !page.includes(`| \`${code}\` | ${STATUS_REASONS[code].text} |`)),
    ).toEqual([]);
  });

  test('is the only source of reasons: these files write the columns, and take text and code from it', () => {
    const writers = [...sources].filter(([, text]) =>
      /status_reason(_code)?\s*[=:]\s*(\$\{|noted)|insert into (order_event|request_note) \([^)]*reason/.test(
        text,
      ),
    );
    expect(writers.map(([file]) => file).sort()).toEqual([
      'src/orders/request-note.ts',
      'src/orders/steps/freeze-after-loss.ts',
      'src/orders/steps/shared/moved-deadlines.ts',
      'src/orders/steps/shared/step.ts',
    ]);
    const literal = [...sources].filter(([, text]) => /status_reason(_code)? = ['"]/.test(text));
    expect(literal.map(([file]) => file)).toEqual([]);
  });
});

describe('the text of a reason', () => {
  test('has its values, and what a value contains is not read again', () => {
    const text = 'He said {text} [: {seen}] in case {run}';
    expect(reasonText(reasonOf('note', { text }))).toBe(text);
    expect(reasonText(reasonOf('bulk_note', { text, run: 7 }))).toBe(`${text} (bulk run 7)`);
  });

  test('leaves out the part in brackets without its value', () => {
    const alone = 'The transaction was not final on its chain in time';
    expect(reasonText(reasonOf('not_final', {}))).toBe(alone);
    expect(reasonText(reasonOf('not_final', { seen: undefined }))).toBe(alone);
    expect(reasonText(reasonOf('not_final', { seen: '1 of 12' }))).toBe(`${alone}: 1 of 12`);
  });

  test('fits the column, and so does each value on its way through Temporal', () => {
    const reason = reasonOf('transaction_failed', { failure: 'x'.repeat(10_000) });
    expect(reason.values.failure).toHaveLength(MAX_REASON_LENGTH);
    expect(reasonText(reason)).toHaveLength(MAX_REASON_LENGTH);
  });

  test('is not made without one of its values', () => {
    expect(() => textParts('bulk_note', { text: 'x' })).toThrow('The reason bulk_note needs a value for run');
  });

  test('in SQL joins literals, whose quotes are doubled, and expressions', () => {
    expect(reasonSql('transaction_replaced', { tx_hash: 'orders.user_crypto_tx_hash' })).toEqual({
      text: `'Replaces ' || orders.user_crypto_tx_hash || ', which was not found'`,
      code: `'transaction_replaced'`,
    });
  });
});

describe('a reader of reasons', () => {
  test.each(REASON_READERS)('sees the text and the code of what is for it (%s)', (reader) => {
    const of = (code: string) => reasonShownTo(reader, { text: 'Words', code });
    for (const code of REASON_CODES) {
      const isFor = STATUS_REASONS[code].recipients.some((one) => one === reader);
      expect(of(code)).toEqual(isFor ? { text: 'Words', code } : { text: null, code: null });
    }
  });

  test('sees neither without a code, or with one that is not in the table', () => {
    for (const code of [null, undefined, 'nonsense', 'toString'])
      expect(reasonShownTo('agent', { text: 'Words', code })).toEqual({ text: null, code: null });
  });
});
