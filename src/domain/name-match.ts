/** How two spellings of a person's or a business's name compare. */
export type NameMatch = 'matched' | 'partial' | 'not_matched';

/** Letters that Unicode does not decompose into a base letter and its accent. */
const PLAIN_LETTERS: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
  ς: 'σ',
};

/**
 * Accents and optional vowel signs: accents of Latin letters, Hebrew points and Arabic marks. The voicing marks of kana
 * and the vowel signs of other scripts, such as Devanagari, distinguish names and stay.
 */
const ACCENTS = /(?=\p{Mn})(?!\u3099|\u309a)[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}]/gu;
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;
/** Apostrophes and the letters, primes and accents that people type instead. */
const APOSTROPHES = /['`´ʹʻʼʽʾʿˈ՚׳‘’‛′‵＇]/gu;
const BETWEEN_WORDS = /[^\p{L}\p{N}\p{M}]+/gu;

/**
 * The words of a name, without case, accents, apostrophes, punctuation and invisible characters, which differ between
 * spellings. Hyphens and dots separate words. Empty: the text has no letter and no digit.
 */
export const nameWords = (name: string): string[] =>
  name
    // Before the decomposition, which turns some apostrophes into a space and an accent.
    .replace(APOSTROPHES, '')
    .replace(INVISIBLE, '')
    .normalize('NFKD')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .replace(/[ßæœøłđðþħıς]/gu, (letter) => PLAIN_LETTERS[letter] ?? letter)
    // Composes Hangul syllables into one letter again.
    .normalize('NFC')
    .split(BETWEEN_WORDS)
    .filter((word) => /[\p{L}\p{N}]/u.test(word));

const letters = (word: string): string[] => [...word];
const isInitial = (word: string): boolean => letters(word).length === 1;

/**
 * Compares the name that a payer expects with the name of the account's holder.
 *
 * - `matched`: both have the same words, in any order, and one of them is longer than an initial.
 * - `partial`: each word of the shorter name has its own partner in the longer name: the same word, or an initial with a
 *   word that begins with it. At least one pair is the same word, longer than an initial. Or both names have the same
 *   letters in the same order and differ only in where words end, as `Mc Donald` and `McDonald`.
 * - `not_matched`: anything else, and a name without words.
 */
export function compareNames(expected: string, held: string): NameMatch {
  const [one, other] = [nameWords(expected), nameWords(held)];
  const [shorter, longer] = one.length <= other.length ? [one, other] : [other, one];
  const { pairs, left, right } = pairEqual(shorter, longer);
  if (pairs.some((word) => !isInitial(word))) {
    if (left.length === 0 && right.length === 0) return 'matched';
    if (initialsFit(left, right)) return 'partial';
  }
  const joined = shorter.join('');
  return letters(joined).length > 1 && joined === longer.join('') ? 'partial' : 'not_matched';
}

/** Pairs each word with one equal word, and returns the words that have no partner. */
function pairEqual(shorter: string[], longer: string[]) {
  const right = [...longer];
  const pairs: string[] = [];
  const left = shorter.filter((word) => {
    const at = right.indexOf(word);
    if (at < 0) return true;
    pairs.push(word);
    right.splice(at, 1);
    return false;
  });
  return { pairs, left, right };
}

/**
 * Whether each word on the left has its own partner on the right. No word is on both sides, so an initial pairs only
 * with longer words, and a longer word only with initials. So taking the first partner never takes the only partner of
 * another word.
 */
function initialsFit(left: string[], right: string[]): boolean {
  const free = [...right];
  return left.every((word) => {
    const at = free.findIndex(
      (other) => isInitial(word) !== isInitial(other) && firstOf(word) === firstOf(other),
    );
    if (at >= 0) free.splice(at, 1);
    return at >= 0;
  });
}

const firstOf = (word: string): string => String(letters(word)[0]);

const HIDDEN = '•••';
/** More initials would reveal more of the name than a payer needs. */
const MOST_MASKED_WORDS = 6;
/** The first letter of a shorter word would be half of it. */
const SHORTEST_SHOWN = 3;

/** Shows the first letter of each longer word, and not how long the word is: `J••• M•••`. */
export const maskName = (name: string): string =>
  nameWords(name)
    .slice(0, MOST_MASKED_WORDS)
    .map((word) => (letters(word).length < SHORTEST_SHOWN ? '' : firstOf(word).toUpperCase()) + HIDDEN)
    .join(' ');
