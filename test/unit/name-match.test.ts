import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compareNames, maskName, nameWords } from '../../src/domain/name-match.ts';
import { judgeRecipient } from '../../src/domain/recipient-check.ts';

describe('two spellings of one name are matched', () => {
  test.each([
    ['JANE WANJIKU', 'Jane Wanjiku'],
    ['Wanjiku Jane', 'Jane Wanjiku'],
    ['  Jane   Wanjiku ', 'Jane Wanjiku'],
    ['José Müller', 'jose muller'],
    ['Jose\u0301 Mu\u0308ller', 'José Müller'],
    ['Øyvind Łukasz Straße', 'oyvind lukasz strasse'],
    ['İbrahim Işık', 'ibrahim isik'],
    ["Sinéad O'Brien", 'SINEAD O’BRIEN'],
    ["N'Golo Kanté", 'NʼGolo Kante'],
    ['N´Golo Kante', 'NGolo Kante'],
    ['Jean-Pierre Habyarimana', 'Jean Pierre HABYARIMANA'],
    ['Jean\u2011Pierre Habyarimana', 'Jean‐Pierre Habyarimana'],
    ['J. M. Otieno', 'Otieno J M'],
    ['Ja\u200bne Wan\u00adji\u2060ku\ufe0f', 'Jane Wanjiku'],
    ['\u202eJane\u202c Wanjiku', 'Jane Wanjiku'],
    ['Ｊａｎｅ Wanjiku', 'Jane Wanjiku'],
    ['Acme Ltd. (Kenya)', 'ACME LTD KENYA'],
    ['Νίκος Παπαδόπουλος', 'ΝΙΚΟΣ ΠΑΠΑΔΟΠΟΥΛΟΣ'],
    ['مُحَمَّد علي', 'محمد علي'],
    ['김철수', '김철수'.normalize('NFD')],
  ])('%s and %s', (one, other) => {
    expect(compareNames(one, other)).toBe('matched');
  });
});

describe('a part of a name is partial', () => {
  test.each([
    ['Jane Wanjiku', 'Jane Njeri Wanjiku'],
    ['J. Wanjiku', 'Jane Wanjiku'],
    ['Jane Wanjiku', 'WANJIKU J'],
    ['J N Wanjiku', 'Jane Njeri Wanjiku Otieno'],
    ['Wanjiku', 'Jane Wanjiku'],
    ['Jane Jane', 'Jane'],
    ['Ronald Mc Donald', 'Ronald McDonald'],
    ['O Brien', "O'Brien"],
    ['王 伟', '王伟'],
  ])('%s and %s', (one, other) => {
    expect(compareNames(one, other)).toBe('partial');
  });
});

describe('another name is not matched', () => {
  test.each([
    ['Jane Otieno', 'Jane Wanjiku'],
    ['Jane Wanjiku', 'John Wanjiku'],
    ['J W', 'Jane Wanjiku'],
    ['J', 'Jane'],
    ['J', 'J'],
    ['J John', 'J James'],
    ['J J Otieno', 'Jane Peter Otieno'],
    ['Janet Wanjiku', 'Jane Wanjiku'],
    // The first letter is Cyrillic.
    ['Јane', 'Jane'],
    ['राम', 'रमा'],
    ['が', 'か'],
    ['Jane Wanjiku', ''],
    ['', ''],
    ['\u200b\u2060', '\u200b\u2060'],
    ['•••', '•••'],
    ['--', '...'],
  ])('%s and %s', (one, other) => {
    expect(compareNames(one, other)).toBe('not_matched');
  });
});

const word = fc
  .array(fc.constantFrom(...'abcdefghijklmnoprstuvwyzéüçñ'), { minLength: 2, maxLength: 8 })
  .map((letters) => letters.join(''));
const words = fc.array(word, { minLength: 1, maxLength: 5 });
const anyText = fc.string({ unit: 'binary', maxLength: 40 });

describe('of any names', () => {
  test('case, order, accents and invisible characters make no difference', () => {
    fc.assert(
      fc.property(words, fc.integer(), fc.constantFrom('NFC', 'NFD'), (name, seed, form) => {
        const turned = [...name.slice(seed % name.length), ...name.slice(0, seed % name.length)];
        const other = turned.join(' \u200b').toUpperCase().normalize(form);
        expect(compareNames(name.join(' '), other)).toBe('matched');
      }),
    );
  });

  test('the comparison has no direction', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyText,
          words.map((all) => all.join(' ')),
        ),
        anyText,
        (one, other) => {
          expect(compareNames(one, other)).toBe(compareNames(other, one));
        },
      ),
    );
  });

  test('only names of the same words are matched', () => {
    fc.assert(
      fc.property(words, words, (one, other) => {
        const same = nameWords(one.join(' ')).sort().join() === nameWords(other.join(' ')).sort().join();
        expect(compareNames(one.join(' '), other.join(' ')) === 'matched').toBe(same);
      }),
    );
  });

  test('a word more, or a word less, is never matched', () => {
    fc.assert(
      fc.property(words, word, (name, more) => {
        expect(compareNames(name.join(' '), [...name, more].join(' '))).toBe('partial');
      }),
    );
  });

  test('a masked name has at most one letter of each word', () => {
    fc.assert(
      fc.property(anyText, (name) => {
        const masked = maskName(name);
        for (const part of masked.split(' ')) expect(part).toMatch(/^(\P{Cc}{0,3}•••)?$/u);
        expect(masked.length).toBeLessThanOrEqual(64);
      }),
    );
  });
});

describe('a masked name', () => {
  test.each([
    ['Jane Wanjiku', 'J••• W•••'],
    ['Li Wei', '••• W•••'],
    ["J. O'Brien-Smith", '••• O••• S•••'],
    ['김철수', '김•••'],
    ['a b c d e f g h', '••• ••• ••• ••• ••• •••'],
    ['\u200b', ''],
  ])('of %s is %s', (name, masked) => {
    expect(maskName(name)).toBe(masked);
  });
});

describe('a check', () => {
  const named = (name: string) => ({ kind: 'named', name }) as const;
  test('is matched by a name from the resolver, and by nothing else', () => {
    expect(judgeRecipient('Jane', named('JANE'))).toEqual({ result: 'matched', name_masked: 'J•••' });
    expect(judgeRecipient('Jane', null)).toEqual({ result: 'unsupported', name_masked: null });
    expect(judgeRecipient('Jane', { kind: 'unknown' })).toEqual({ result: 'not_matched', name_masked: null });
    const nothing = { result: 'unavailable', name_masked: null };
    expect(judgeRecipient('Jane', { kind: 'unavailable', reason: 'HTTP 500' })).toEqual(nothing);
    expect(judgeRecipient('Jane', named('\u2060'))).toEqual(nothing);
    expect(judgeRecipient(undefined, named('***'))).toEqual(nothing);
  });

  test('without an expected name is partial where the account exists', () => {
    expect(judgeRecipient(undefined, named('Jane W'))).toEqual({
      result: 'partial',
      name_masked: 'J••• •••',
    });
  });
});
