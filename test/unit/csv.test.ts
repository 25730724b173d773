import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { csvLine, freeText } from '../../src/domain/csv.ts';
import { journalEntry } from '../../src/domain/journal.ts';

describe('a line of CSV', () => {
  test.each([
    [[1, 'a', null, freeText(null), freeText(undefined)], '1,a,,,\r\n'],
    [['a,b', 'say "x"', 'two\nlines'], '"a,b","say ""x""","two\nlines"\r\n'],
    [['x;=1+1', 'x\t=1+1'], '"x;=1+1","x\t=1+1"\r\n'],
    [[-1, '-0.5'], '-1,-0.5\r\n'],
    [[freeText('Shop Ltd'), freeText('a=b'), freeText('')], 'Shop Ltd,a=b,\r\n'],
  ])('of %j is written as RFC 4180 asks', (fields, line) => {
    expect(csvLine(fields)).toBe(line);
  });

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '=cmd|"/c calc"!A1'])(
    'keeps the free text %j from being a formula',
    (text) => {
      const [, read = ''] = /^"?(.*?)"?\r\n$/s.exec(csvLine([freeText(text)])) ?? [];
      expect(read.replaceAll('""', '"')).toBe(`'${text}`);
    },
  );

  test('can be read again, and never begins a field with a formula', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }), (texts) => {
        const line = `,${csvLine(texts.map(freeText)).slice(0, -2)}`;
        const fields = [...line.matchAll(/,(?:"((?:[^"]|"")*)"|([^",]*))/g)];
        const read = fields.map(([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? '');
        expect(read.map((text, i) => (text === texts[i] ? text : text.slice(1)))).toEqual(texts);
        expect(read.filter((text) => /^[=+\-@]/.test(text))).toEqual([]);
      }),
    );
  });
});

describe('an entry of a journal', () => {
  const transfer = { id: 7, at: '2026-03-01T10:00:00.000Z', key: 'posting/1', amount: '1.500000' };
  const accounts = { debit: 'outside', credit: 'lp:7:available' };

  test('moves the amount from the debited account to the credited one', () => {
    expect(journalEntry({ ...transfer, ...accounts, reason: null })).toBe(
      '2026-03-01 * (7) posting/1\n    ; time: 2026-03-01T10:00:00.000Z\n    lp:7:available  1.500000 USD\n    outside  -1.500000 USD\n\n',
    );
  });

  test('has the reason on its line, without the characters of comments', () => {
    const [line] = journalEntry({ ...transfer, ...accounts, reason: 'a ; b | c\n2026-01-01 x' }).split('\n');
    expect(line).toBe('2026-03-01 * (7) posting/1 a , b , c,2026-01-01 x');
  });
});
