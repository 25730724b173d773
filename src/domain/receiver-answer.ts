import { asWritten, type Reading, readings } from './escapes.ts';

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
 * separators, also in the escapes of JSON, URLs and HTML. A run of base64 with a word is masked as a whole. A number is also
 * masked by its last digits alone, and at a cut a word also by its beginning. An answer with too many escapes within escapes is
 * masked as a whole.
 */
export function maskAnswer({ text, isCut }: ReceivedAnswer, words: readonly string[]): string {
  const all = readings(text);
  if (!all) return MASK;
  const wanted = spellings(words);
  const base64 = base64With(wanted);
  const found = all.flatMap((reading) => {
    const read = readCharacters(reading);
    const beginnings = isCut ? beforeLastEscapes(reading.text, read) : [];
    return [
      ...wanted.flatMap((word) => [
        ...findWord(read, word),
        ...beginnings.flatMap((beginning) => findBeginningAtEnd(beginning, word)),
      ]),
      ...findInBase64(reading, base64, isCut),
    ];
  });
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
/** A cut can split an escape, which has at most this many characters, in several escapes around it. */
const [MAX_ESCAPE, MAX_SPLIT] = [40, 4];

/** `stream`: a character that the cut has split is left out. */
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes, { stream: true });

/** A part of the whole text. */
interface Range {
  start: number;
  end: number;
}

/**
 * A text without separators and in lower case, and where each of its units is in the whole text. `gap`: the separators before
 * it. `place`: where it is in the reading. A search in it needs no regular expression, whose time an agent could choose by its recipients and answers.
 */
interface Characters {
  folded: string;
  units: (Range & { gap: number; place: number })[];
}

function readCharacters({ text, from, to }: Reading): Characters {
  const read: Characters = { folded: '', units: [] };
  let lastEnd = 0;
  for (const { 0: character, index } of text.matchAll(/[\p{L}\p{N}]/gu)) {
    const folded = character.toLowerCase();
    const last = index + character.length;
    const range = { start: from[index] as number, end: to[last - 1] as number, place: index };
    read.folded += folded;
    for (let unit = 0; unit < folded.length; unit++)
      read.units.push({ ...range, gap: unit === 0 ? index - lastEnd : 0 });
    lastEnd = last;
  }
  return read;
}

/** The characters of a text that was cut: all of them, and those before each of the last escapes, which the cut may have split. */
function beforeLastEscapes(text: string, { folded, units }: Characters): Characters[] {
  const ends = [text.length];
  for (
    let end = text.length - 1;
    end >= text.length - MAX_ESCAPE && end >= 0 && ends.length <= MAX_SPLIT;
    end--
  )
    if ('\\%&'.includes(text[end] as string)) ends.push(end);
  return ends.map((end) => {
    const isAfter = units.findIndex(({ place }) => place >= end);
    const count = isAfter === -1 ? units.length : isAfter;
    return { folded: folded.slice(0, count), units: units.slice(0, count) };
  });
}

/** What to look for, without separators and in lower case. */
function spellings(words: readonly string[]): string[] {
  const folded = words.map((word) => word.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase());
  const national = folded.filter((word) => /^\d+$/.test(word)).map((digits) => digits.slice(-LAST_DIGITS));
  return [...folded, ...national].filter(({ length }) => length >= MIN_CHARACTERS);
}

function findWord(read: Characters, word: string): Range[] {
  const found: Range[] = [];
  for (let at = read.folded.indexOf(word); at !== -1; at = read.folded.indexOf(word, at + 1))
    found.push(...rangeOf(read, at, at + word.length));
  return found;
}

/** The first characters of a word, at the end of the text. */
function findBeginningAtEnd(read: Characters, word: string): Range[] {
  const { length: end } = read.folded;
  for (let length = word.length - 1; length >= MIN_CHARACTERS; length--)
    if (read.folded.endsWith(word.slice(0, length))) return rangeOf(read, end - length, end);
  return [];
}

/** What may be base64, or the base64 of URLs. */
const BASE64 = /[\w+/-]{4,}/g;

/** Whether a run of base64 has a word. `mayGoOn`: the answer was cut at its end. */
type HasWord = (run: string, mayGoOn: boolean) => boolean;

/** The runs of base64 that have a word. Base64 within base64, and lines of it, are not read. */
function findInBase64({ text, from, to }: Reading, base64: HasWord, isCut: boolean): Range[] {
  return [...text.matchAll(BASE64)].flatMap(({ 0: run, index }) => {
    const end = index + run.length;
    const hasWord = base64(run, isCut && end === text.length);
    return hasWord ? [{ start: from[index] as number, end: to[end - 1] as number }] : [];
  });
}

/**
 * Looks for the words. A run may begin with other characters, so each place in a group of four may be its first. The readings of
 * an answer have most runs in common, so each is decoded once. Most are too short for any word: four digits are three bytes.
 */
function base64With(words: readonly string[]): HasWord {
  const fewestDigits = (Math.min(...words.map(({ length }) => length)) * 4) / 3;
  const known = new Map<string, boolean>();
  const decoded = (run: string, mayGoOn: boolean) =>
    [0, 1, 2, 3].some((skipped) => {
      const read = readCharacters(asWritten(fromBase64(run.slice(skipped))));
      return words.some(
        (word) => findWord(read, word).length > 0 || (mayGoOn && findBeginningAtEnd(read, word).length > 0),
      );
    });
  return (run, mayGoOn) => {
    if (!mayGoOn && run.length < fewestDigits) return false;
    const key = `${mayGoOn} ${run}`;
    const found = known.get(key) ?? decoded(run, mayGoOn);
    known.set(key, found);
    return found;
  };
}

/** A last character alone in its group has no byte. */
function fromBase64(run: string): string {
  const digits = run.replaceAll('-', '+').replaceAll('_', '/');
  const bytes = atob(digits.slice(0, digits.length - (digits.length % 4 === 1 ? 1 : 0)));
  return decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
}

/** The range of the units from `first` to the one before `end`; none if they are too far from each other for one word. */
function rangeOf({ units }: Characters, first: number, end: number): Range[] {
  const word = units.slice(first, end);
  if (word.slice(1).some(({ gap }) => gap > MAX_SEPARATORS)) return [];
  return [
    { start: Math.min(...word.map(({ start }) => start)), end: Math.max(...word.map(({ end }) => end)) },
  ];
}

/** The text with the mask in place of these ranges, which may overlap. */
function replaceAll(text: string, ranges: readonly Range[]): string {
  let replaced = '';
  let done = 0;
  for (const { start, end } of ranges.toSorted((one, other) => one.start - other.start)) {
    if (start >= done) replaced += text.slice(done, start) + MASK;
    done = Math.max(done, end);
  }
  return replaced + text.slice(done);
}
