import { describe, expect, test } from '@jest/globals';
import { line } from '../../src/api/schemas/request-fields.ts';
import { isVisibleLine } from '../../src/domain/visible-line.ts';

/** Names and texts that admins and LPs must be able to read and distinguish. */
describe('a name', () => {
  test.each([
    ['Hangul fillers', '\u3164\u115f\u1160\uffa0'],
    ['empty braille patterns', '\u2800\u2800'],
    ['blanks of hieroglyphs', '\u{13441}\u{13442}'],
    ['a null notehead', '\u{1d159}'],
    ['object replacements', '\ufffc'],
    ['Khmer inherent vowels', '\u17b4\u17b5'],
    ['joiners', '\u200c\u200d'],
    ['a variation selector', '\ufe0f'],
    ['a combining grapheme joiner', '\u034f'],
    ['a soft hyphen', '\u00ad'],
    ['zero-width spaces', '\u200b\ufeff\u2060'],
    ['tags', '\u{e0041}\u{e0042}'],
    ['spaces of all widths', '\u00a0\u2003\u3000'],
    ['a mixture', ' \u3164\u2800\u200d\u3000 '],
  ])('of %s is not visible', (_, text) => {
    expect(isVisibleLine(text)).toBe(false);
    expect(line(200).safeParse(text).success).toBe(false);
  });

  test.each(['Ama', '김', '李', 'نور\u200cالدین', 'क्\u200dष', '7', '…', '👨\u200d👩', '⠁'])(
    '%p is visible',
    (text) => {
      expect(isVisibleLine(text)).toBe(true);
      expect(line(200).safeParse(text).success).toBe(true);
    },
  );
});
