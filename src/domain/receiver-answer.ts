/** Corridor reads at most this much of what a receiver of webhooks answers, and stores and shows so many characters of it. */
export const MAX_ANSWER_BYTES = 4_096;
export const MAX_ANSWER_CHARACTERS = 200;

/** The beginning of a receiver's answer. `isCut`: the receiver has sent more, or had not finished. */
export interface ReceivedAnswer {
  text: string;
  isCut: boolean;
}

/** The text of these bytes. Replaces invalid UTF-8 by U+FFFD, and removes NULs, which PostgreSQL cannot store. */
export const answerText = (bytes: Uint8Array): string => decode(bytes).replaceAll('\0', '');

const MASK = '•••';

/**
 * The answer for the database and the agent: its first characters, or a mask in place of all of them if they could name the
 * order's recipient. `words` identify the recipient: its number or account, the name, the fields. An answer is masked if it
 * has six digits in a row, a word in upper or lower case with any separators, or escapes of JSON, URLs or HTML, and if it was
 * cut after the beginning of a word or a number. Base64 is read.
 */
export function shownAnswer({ text, isCut }: ReceivedAnswer, words: readonly string[]): string {
  const characters = [...text];
  const shown = characters.slice(0, MAX_ANSWER_CHARACTERS).join('');
  const cut = isCut || characters.length > MAX_ANSWER_CHARACTERS;
  const wanted = words.map(lettersAndDigits).filter(({ length }) => length >= MIN_CHARACTERS);
  const isSafe =
    !ESCAPE.test(shown) &&
    !hasRecipient(shown, cut, wanted) &&
    !base64Texts(shown).some((decoded) => hasRecipient(decoded, cut, wanted));
  return isSafe ? shown : MASK;
}

/** As in `mask_words` of the database: a shorter word is part of too many others. */
const MIN_CHARACTERS = 3;

/** `\u0032`, `%32` and `&#50;`, also if a cut has split it. */
const ESCAPE = /\\|%(?:[\da-f]{2}|[\da-f]?$)|&#?(?:\w|$)/i;

/** Between two digits of a number there may be separators, such as `) ` in a phone number. */
const SIX_DIGITS = /\p{N}(?:[^\p{L}\p{N}]{0,3}\p{N}){5}/u;
const LAST_DIGITS = /\p{N}(?:[^\p{L}\p{N}]{0,3}\p{N}){2}[^\p{L}\p{N}]*$/u;

function hasRecipient(text: string, isCut: boolean, words: readonly string[]): boolean {
  const read = lettersAndDigits(text);
  return (
    SIX_DIGITS.test(text) ||
    (isCut && LAST_DIGITS.test(text)) ||
    words.some((word) => read.includes(word) || (isCut && endsWithBeginning(read, word)))
  );
}

const lettersAndDigits = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();

/** Whether the text ends with the first characters of the word. */
const endsWithBeginning = (text: string, word: string): boolean =>
  [...word].some((_, i) => i + 1 >= MIN_CHARACTERS && text.endsWith(word.slice(0, i + 1)));

/**
 * What the runs of base64, or of the base64 of URLs, mean. A run may begin with other characters, so each place in a group of
 * four may be its first. Base64 within base64, and lines of it, are not read.
 */
const base64Texts = (text: string): string[] =>
  (text.match(/[\w+/-]{4,}/g) ?? []).flatMap((run) =>
    [0, 1, 2, 3].map((skipped) => fromBase64(run.slice(skipped))),
  );

/** A last character alone in its group has no byte. */
function fromBase64(run: string): string {
  const digits = run.replaceAll('-', '+').replaceAll('_', '/');
  const bytes = atob(digits.slice(0, digits.length - (digits.length % 4 === 1 ? 1 : 0)));
  return decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
}

/** `stream`: a character that the cut has split is left out. */
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes, { stream: true });
