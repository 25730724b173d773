/** Corridor reads, stores and shows at most this much of what a receiver of webhooks answers, in bytes of UTF-8. */
export const MAX_ANSWER_BYTES = 4_096;

/** The beginning of a receiver's answer. `isCut`: the receiver has sent more, or had not finished. */
export interface ReceivedAnswer {
  text: string;
  isCut: boolean;
}

/** The text of these bytes. Replaces invalid UTF-8 by U+FFFD, and removes NULs, which PostgreSQL cannot store. */
export const answerText = (bytes: Uint8Array): string => decode(bytes).replaceAll('\0', '');

/**
 * The answer for the database and the agent: at most `MAX_ANSWER_BYTES`, without the order's recipient. `words` identify the
 * recipient: its number or account, the name, the fields. A word is masked in upper and lower case and with any
 * separators, a number also by its last digits alone, and at a cut also by its beginning.
 */
export function maskAnswer({ text, isCut }: ReceivedAnswer, words: readonly string[]): string {
  const read = readCharacters(text);
  const found = spellings(words).flatMap((word) => [
    ...findWord(read, word),
    ...(isCut ? findBeginningAtEnd(read, word) : []),
  ]);
  // The mask can be longer than the word.
  return decode(new TextEncoder().encode(replaceAll(text, found)).subarray(0, MAX_ANSWER_BYTES));
}

const MASK = '•••';
/** As in `mask_words` of the database: a shorter word is part of too many others. */
const MIN_CHARACTERS = 3;
/** A national spelling of a phone number leaves out the first digits. */
const LAST_DIGITS = 8;
/** Between two characters of one word, such as `) ` in a phone number. */
const MAX_SEPARATORS = 3;

/** `stream`: a character that the cut has split is left out. */
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes, { stream: true });

/**
 * A text without separators and in lower case. `start` and `end` of each of its units in the whole text. A search in it needs
 * no regular expression, whose time an agent could choose by its recipients and answers.
 */
interface Characters {
  folded: string;
  start: number[];
  end: number[];
}

function readCharacters(text: string): Characters {
  const read: Characters = { folded: '', start: [], end: [] };
  for (const { 0: character, index } of text.matchAll(/[\p{L}\p{N}]/gu)) {
    const folded = character.toLowerCase();
    read.folded += folded;
    for (let unit = 0; unit < folded.length; unit++) {
      read.start.push(index);
      read.end.push(index + character.length);
    }
  }
  return read;
}

/** What to look for, without separators and in lower case. */
function spellings(words: readonly string[]): string[] {
  const folded = words.map((word) => readCharacters(word).folded);
  const national = folded.filter((word) => /^\d+$/.test(word)).map((digits) => digits.slice(-LAST_DIGITS));
  return [...folded, ...national].filter(({ length }) => length >= MIN_CHARACTERS);
}

/** A part of the whole text. */
interface Range {
  start: number;
  end: number;
}

/** The first and the last unit of a word. */
type Place = [first: number, last: number];

function findWord(read: Characters, word: string): Range[] {
  const found: Range[] = [];
  for (let at = read.folded.indexOf(word); at !== -1; at = read.folded.indexOf(word, at + 1)) {
    const place: Place = [at, at + word.length - 1];
    if (isOneWord(read, place)) found.push(rangeOf(read, place));
  }
  return found;
}

/** The first characters of a word, at the end of the text. */
function findBeginningAtEnd(read: Characters, word: string): Range[] {
  for (let length = word.length - 1; length >= MIN_CHARACTERS; length--) {
    const last = read.folded.length - 1;
    const place: Place = [last - length + 1, last];
    if (read.folded.endsWith(word.slice(0, length)) && isOneWord(read, place)) return [rangeOf(read, place)];
  }
  return [];
}

const rangeOf = ({ start, end }: Characters, [first, last]: Place): Range => ({
  start: start[first] ?? 0,
  end: end[last] ?? 0,
});

function isOneWord({ start, end }: Characters, [first, last]: Place): boolean {
  for (let unit = first; unit < last; unit++)
    if ((start[unit + 1] ?? 0) - (end[unit] ?? 0) > MAX_SEPARATORS) return false;
  return true;
}

/** The text with the mask in place of these ranges, which may overlap. */
function replaceAll(text: string, ranges: Range[]): string {
  let replaced = '';
  let done = 0;
  for (const { start, end } of ranges.sort((one, other) => one.start - other.start)) {
    if (start >= done) replaced += text.slice(done, start) + MASK;
    done = Math.max(done, end);
  }
  return replaced + text.slice(done);
}
