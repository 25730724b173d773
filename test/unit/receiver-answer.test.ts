import { describe, expect, test } from '@jest/globals';
import { answerText, MAX_ANSWER_BYTES, maskAnswer } from '../../src/domain/receiver-answer.ts';

const WORDS = ['+254700123456', 'Jane Wanjiku', 'ke'];
const mask = (text: string, isCut = false) => maskAnswer({ text, isCut }, WORDS);

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
