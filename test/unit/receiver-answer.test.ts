import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { answerText, MAX_ANSWER_CHARACTERS, shownAnswer } from '../../src/domain/receiver-answer.ts';

const WORDS = ['+254700123456', 'Jane Wanjiku', 'ke', '12345'];
const shown = (text: string, isCut = false) => shownAnswer({ text, isCut }, WORDS);
const MASK = '•••';

describe('the text of an answer', () => {
  test.each([
    ['ok', 'ok'],
    ['a\0b\0', 'ab'],
    ['žluťoučký', 'žluťoučký'],
    ['<b>not markup</b>', '<b>not markup</b>'],
  ])('%j becomes %j', (given, text) => {
    expect(answerText(Buffer.from(given))).toBe(text);
  });

  test('shows bytes that are not UTF-8 as such, and leaves out a character that was cut', () => {
    expect(answerText(Buffer.from([0x61, 0xff, 0x62]))).toBe('a\ufffdb');
    expect(answerText(Buffer.from('aé').subarray(0, 2))).toBe('a');
  });
});

describe('an answer that could name the recipient is masked as a whole:', () => {
  test.each([
    '{"to":"+254700123456"}',
    '+254 700 123-456',
    '0700123456 is paid',
    'another number: 0 7 1 2 (34)',
    'JANE_WANJIKU, and more',
    'jane  ------  wanjiku',
    'İ Jane Wanjiku',
    'account 12-345',
  ])('%j', (text) => expect(shown(text)).toBe(MASK));

  test.each([
    '{"to":"\\u002b\\u0032"}',
    'Zo%C3%AB',
    'Zo%EB',
    'J&#97ne',
    'Zo&euml;',
    '&amp;#52;',
    '%2532',
    'said \\"ok\\"',
  ])('with the escape in %j', (text) => expect(shown(text)).toBe(MASK));

  test.each([
    ['to ', '+254700123456', ' is paid'],
    ['{"body":"', '{"recipient":"+254 700 123 456"}', '"}'],
    ['Basic ', 'user:Jane Wanjiku', ''],
    // Other characters of base64 stand before it, so its groups begin at another place.
    ['data/x', 'paid to Jane_Wanjiku', '.'],
  ])('with base64 after %j that has %j', (before, hidden, after) => {
    const bytes = Buffer.from(hidden);
    for (const code of [bytes.toString('base64'), bytes.toString('base64url')])
      expect(shown(`${before}${code}${after}`)).toBe(MASK);
    const other = `${before}${Buffer.from('somebody else').toString('base64')}`;
    expect(shown(other)).toBe(other);
  });

  test('if it was cut within the recipient or an escape', () => {
    const base64 = Buffer.from('paid to +2547001').toString('base64').replace(/=+$/, '');
    const ends = ['+254', '070', 'Jane Wan', '\\', '\\u003', '%', '%3', '&', '&#5', base64];
    for (const end of ends) expect(shown(`paid to ${end}`, true)).toBe(MASK);
    for (const end of ['254', 'Jane Wan', 'Ja']) expect(shown(`paid to ${end}`)).toBe(`paid to ${end}`);
    expect(shown('paid to Ja', true)).toBe('paid to Ja');
  });

  test('if its characters are escaped in any way, also within one another', () => {
    const code = (character: string) => character.charCodeAt(0);
    const escapes: ((character: string) => string)[] = [
      (character) => `\\u00${code(character).toString(16).padStart(2, '0')}`,
      (character) => `%${code(character).toString(16).padStart(2, '0')}`,
      (character) => `&#${code(character)};`,
      (character) => `&#x${code(character).toString(16)};`,
    ];
    // Each digit of the recipient has escapes of its own.
    const layers = fc.array(fc.constantFrom(...escapes), { maxLength: 2 });
    const written = fc.array(layers, { minLength: 12, maxLength: 12 });
    fc.assert(
      fc.property(fc.string(), written, (before, escapesOf) => {
        const digits = [...'254700123456'].map((digit, at) =>
          (escapesOf[at] ?? []).reduce((text, encode) => Array.from(text, encode).join(''), digit),
        );
        expect(shown(before + digits.join(''))).toBe(MASK);
      }),
    );
  });
});

test.each(['ok', 'order 254 of Jane', 'ke', '{"ok":true,"id":12}', '100 % done & well', ''])(
  '%j is shown',
  (text) => expect(shown(text)).toBe(text),
);

test('an answer is shown with at most 200 characters, also if one takes two units', () => {
  const shortened = shown('𝔞'.repeat(MAX_ANSWER_CHARACTERS + 1));
  expect(shortened).toBe('𝔞'.repeat(MAX_ANSWER_CHARACTERS));
  expect(shown(`${'x'.repeat(MAX_ANSWER_CHARACTERS - 4)}+25470`)).toBe(MASK);
});
