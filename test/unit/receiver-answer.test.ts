import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { answerText, MAX_ANSWER_BYTES, maskAnswer } from '../../src/domain/receiver-answer.ts';

const WORDS = ['+254700123456', 'Jane Wanjiku', 'ke'];
const mask = (text: string, isCut = false) => maskAnswer({ text, isCut }, WORDS);

/** Writes each character of a text as an escape. */
const escapeAll = (text: string, encode: (character: string) => string) =>
  Array.from(text, (character) => (character.charCodeAt(0) < 128 ? encode(character) : character)).join('');
const hex = (character: string) => character.charCodeAt(0).toString(16).padStart(2, '0');
const ESCAPED: Record<string, (character: string) => string> = {
  json: (character) => `\\u00${hex(character)}`,
  url: (character) => `%${hex(character)}`,
  html: (character) => `&#${character.charCodeAt(0)};`,
  hexHtml: (character) => `&#x${hex(character)};`,
};
/** Other readers of escapes than the one under test. */
const REMOVED: Record<string, (text: string) => string> = {
  json: (text) =>
    text.replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
  url: (text) =>
    text.replace(/(%[0-9a-f]{2})+/gi, (run) => {
      try {
        return decodeURIComponent(run);
      } catch {
        return run;
      }
    }),
  html: (text) =>
    text.replace(/&#(x?)([0-9a-f]+);/gi, (whole, isHex: string, code: string) => {
      const point = Number.parseInt(code, isHex ? 16 : 10);
      return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    }),
};

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

describe('the recipient in an answer', () => {
  test.each([
    ['{"to":"+254700123456"}', '{"to":"+•••"}'],
    ['254700123456', '•••'],
    ['+254 700 123-456', '+•••'],
    ['0700123456 is paid', '07••• is paid'],
    ['JANE_WANJIKU, jane wanjiku', '•••, •••'],
    ['order 254 of Jane', 'order 254 of Jane'],
    ['ke', 'ke'],
    ['Jane ------ Wanjiku', 'Jane ------ Wanjiku'],
    ['254700123456254700123456', '••••••'],
    ['İ Jane Wanjiku', 'İ •••'],
  ])('%j becomes %j', (given, masked) => {
    expect(mask(given)).toBe(masked);
  });

  test('is masked where the answer was cut within it', () => {
    expect(mask('paid to +25470', true)).toBe('paid to +•••');
    expect(mask('paid to Jane Wan', true)).toBe('paid to •••');
    expect(mask('paid to Jane Wan')).toBe('paid to Jane Wan');
    expect(mask('paid to Ja', true)).toBe('paid to Ja');
  });

  test.each([
    ['{"to":"\\u002b\\u0032\\u003547\\u0030\\u0030123456"}', '{"to":"\\u002b•••"}'],
    ['to=%2B25%34700%31%32%33456', 'to=%2B•••'],
    ['&#50;&#x35;4&#55;00123456', '•••'],
    ['254&nbsp;700\\t123%20456', '•••'],
    ['Jane%20W%61njiku, J&#97ne&nbsp;Wanjiku', '•••, •••'],
    ['%2532547%30%30123456', '•••'],
    ['\\\\u0032\\u0035470&amp;#48;123456', '•••'],
    ['&#5\\u0030;54700123456', '•••'],
    ['&#5&#48;;54700123456', '•••'],
    ['&unknown; &#x110000; 100 % \\u12 ok', '&unknown; &#x110000; 100 % \\u12 ok'],
  ])('in the escapes %j becomes %j', (given, masked) => {
    expect(mask(given)).toBe(masked);
  });

  test.each([
    ['Zo%C3%AB Wanjiku', 'Zoë Wanjiku'],
    ['Zo%EB Wanjiku', 'Zoë Wanjiku'],
    ['Zo&euml; Wanjiku', 'Zoë Wanjiku'],
    ['Zo\\u00eb Wanjiku', 'Zoë Wanjiku'],
    ['&Oslash;yvind &szlig; Wanjiku', 'Øyvind ß Wanjiku'],
    ['\\ud83a\\udd00\\ud83a\\udd01\\ud83a\\udd02', '\u{1e900}\u{1e901}\u{1e902}'],
  ])('%j is the name %j', (given, name) => {
    expect(maskAnswer({ text: given, isCut: false }, [name])).toBe('•••');
  });

  test('is masked where the answer was cut within an escape of it', () => {
    for (const end of ['\\', '\\u003', '%', '%3', '&', '&#5', '&amp;#5', '%25', '%5Cu0'])
      expect(mask(`paid to +2547${end}`, true)).toMatch(/^paid to \+•••/);
  });

  test.each([
    ['to ', '+254700123456', ' is paid'],
    ['{"body":"', '{"recipient":"+254 700 123 456"}', '"}'],
    ['Basic ', 'user:Jane Wanjiku', ''],
    // Other characters of base64 stand before it, so its groups begin at another place.
    ['data/x', 'paid to Jane_Wanjiku', '.'],
  ])('is masked with the run of base64 after %j that has %j', (before, hidden, after) => {
    const bytes = Buffer.from(hidden);
    for (const code of [bytes.toString('base64'), bytes.toString('base64url')])
      expect(mask(`${before}${code}${after}`)).toMatch(/^\W*(to |Basic |\{"body":")?•••[\W]*(is paid)?$/);
    expect(mask(`${before}${Buffer.from('somebody else').toString('base64')}`)).not.toContain('•••');
  });

  test('is masked with the run of base64 that was cut within it', () => {
    const code = Buffer.from('paid to +2547001').toString('base64').replace(/=+$/, '');
    expect(mask(`to ${code}`, true)).toBe('to •••');
    expect(mask(`to ${code}`)).toBe(`to ${code}`);
  });

  test('is masked with the whole answer, if that has escapes within escapes without end', () => {
    expect(mask(`%${'25'.repeat(60)}32 54700123456`)).toBe('•••');
  });

  test('is in no text that somebody gets who removes escapes in any order', () => {
    const layer = fc.constantFrom(...Object.values(ESCAPED));
    // Each character of the recipient has escapes of its own, within one another.
    const character = fc.array(layer, { maxLength: 2 });
    const answer = fc.record({
      before: fc.string(),
      after: fc.string(),
      escapes: fc.array(character, { minLength: 12, maxLength: 12 }),
      around: fc.array(layer, { maxLength: 1 }),
      order: fc.array(fc.constantFrom(...Object.values(REMOVED)), { maxLength: 6 }),
    });
    fc.assert(
      fc.property(answer, ({ before, after, escapes, around, order }) => {
        const digits = [...'254700123456'].map((digit, at) =>
          (escapes[at] ?? []).reduce((text, encode) => escapeAll(text, encode), digit),
        );
        const written = `${before}${digits.join('')}${after}`;
        const text = around.reduce((inner, encode) => escapeAll(inner, encode), written);
        let decoded = maskAnswer({ text, isCut: false }, WORDS);
        for (const remove of order) {
          expect(decoded).not.toContain('254700123456');
          decoded = remove(decoded);
        }
        expect(decoded).not.toContain('254700123456');
      }),
    );
  });

  test('is found quickly in an answer that almost repeats it', () => {
    const words = [`${'2'.repeat(127)}3`, 'a b '.repeat(32)];
    const text = '2 '.repeat(MAX_ANSWER_BYTES / 2);
    expect(maskAnswer({ text, isCut: true }, words)).not.toBe('');
  });
});

test('an answer takes at most 4 KiB, also if masking or invalid bytes have made it longer', () => {
  const size = (text: string) => Buffer.byteLength(text);
  const invalid = answerText(Buffer.alloc(MAX_ANSWER_BYTES, 0xff));
  expect(size(invalid)).toBeGreaterThan(MAX_ANSWER_BYTES);
  expect(size(maskAnswer({ text: invalid, isCut: true }, []))).toBeLessThanOrEqual(MAX_ANSWER_BYTES);
  const echo = 'abc '.repeat(MAX_ANSWER_BYTES / 4);
  const masked = maskAnswer({ text: echo, isCut: false }, ['abc']);
  expect(size(masked)).toBeLessThanOrEqual(MAX_ANSWER_BYTES);
  expect(masked).not.toContain('abc');
  expect(masked).not.toContain('\ufffd');
});
