/** A text without some of its escapes, and the range of the original text that each of its UTF-16 units comes from. */
export interface Reading {
  text: string;
  from: number[];
  to: number[];
}

/**
 * A text has at most this many readings. Each of them costs time, and the author of the text chooses how deep its escapes are
 * nested. What people and libraries write has fewer than ten.
 */
const MAX_READINGS = 32;

interface Escapes {
  pattern: RegExp;
  meaning: (written: string) => string;
}

/**
 * Every text that somebody gets who removes the escapes of JSON (`\u0032`), of URLs (`%32`) and of HTML (`&#50;`), in any order
 * and as often as they like. The first one is the text itself. Undefined: there are more than `MAX_READINGS`.
 */
export function readings(text: string): Reading[] | undefined {
  const all = [asWritten(text)];
  const known = new Set([text]);
  for (const reading of all)
    for (const kind of KINDS) {
      const next = withoutEscapes(reading, kind);
      if (known.has(next.text)) continue;
      if (all.length === MAX_READINGS) return undefined;
      known.add(next.text);
      all.push(next);
    }
  return all;
}

/** A text as it is. */
export function asWritten(text: string): Reading {
  const places = Array.from({ length: text.length + 1 }, (_, place) => place);
  return { text, from: places.slice(0, -1), to: places.slice(1) };
}

/** The reading with the meaning in place of each escape of one kind. */
function withoutEscapes({ text, from, to }: Reading, { pattern, meaning }: Escapes): Reading {
  const next: Reading = { text: '', from: [], to: [] };
  let done = 0;
  const copyUntil = (end: number) => {
    next.text += text.slice(done, end);
    for (let place = done; place < end; place++) {
      next.from.push(from[place] as number);
      next.to.push(to[place] as number);
    }
  };
  for (const { 0: written, index } of text.matchAll(pattern)) {
    copyUntil(index);
    done = index + written.length;
    const character = meaning(written);
    next.text += character;
    for (let unit = 0; unit < character.length; unit++) {
      next.from.push(from[index] as number);
      next.to.push(to[done - 1] as number);
    }
  }
  copyUntil(text.length);
  return next;
}

/** The marks of named entities such as `&eacute;`, which follow the letter. */
const MARKS: Record<string, string> = {
  ...{ grave: '\u0300', acute: '\u0301', circ: '\u0302', tilde: '\u0303', macr: '\u0304', breve: '\u0306' },
  ...{ dot: '\u0307', uml: '\u0308', ring: '\u030a', dblac: '\u030b', caron: '\u030c' },
  ...{ cedil: '\u0327', ogon: '\u0328' },
};
/** Named entities that are other letters, or that begin another escape. */
const NAMED: Record<string, string> = {
  ...{ amp: '&', AMP: '&', percnt: '%', bsol: '\\', num: '#', semi: ';' },
  ...{
    szlig: 'ß',
    aelig: 'æ',
    AElig: 'Æ',
    oelig: 'œ',
    OElig: 'Œ',
    oslash: 'ø',
    Oslash: 'Ø',
    inodot: 'ı',
    imath: 'ı',
  },
  ...{
    lstrok: 'ł',
    Lstrok: 'Ł',
    dstrok: 'đ',
    Dstrok: 'Đ',
    eth: 'ð',
    ETH: 'Ð',
    thorn: 'þ',
    THORN: 'Þ',
    Idot: 'İ',
  },
};
/** Stands for an escape whose meaning is neither a letter nor a digit. */
const SEPARATOR = ' ';

function ofJson(written: string): string {
  if (written[1] === '\\') return '\\';
  return /^\\u/i.test(written) ? String.fromCharCode(Number.parseInt(written.slice(2), 16)) : SEPARATOR;
}

/** UTF-8, or Latin-1 as older programs write it. */
function ofUrl(written: string): string {
  const bytes = written
    .split('%')
    .slice(1)
    .map((digits) => Number.parseInt(digits, 16));
  const text = new TextDecoder().decode(Uint8Array.from(bytes));
  return text.includes('\ufffd') ? String.fromCharCode(...bytes) : text;
}

function ofHtml(written: string): string {
  const name = written.replace(/^&|;$/g, '');
  if (!name.startsWith('#')) {
    const marked = MARKS[name.slice(1)];
    return NAMED[name] ?? (marked ? `${name[0]}${marked}`.normalize('NFC') : SEPARATOR);
  }
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code <= 0x10ffff ? String.fromCodePoint(code) : SEPARATOR;
}

const KINDS: Escapes[] = [
  { pattern: /\\(?:u[\da-f]{4}|[bfnrt"\\/])/gi, meaning: ofJson },
  {
    pattern:
      /%(?:[0-7][\da-f]|[cd][\da-f]%[89ab][\da-f]|e[\da-f](?:%[89ab][\da-f]){2}|f[0-7](?:%[89ab][\da-f]){3}|[\da-f]{2})/gi,
    meaning: ofUrl,
  },
  { pattern: /&(?:#\d+|#x[\da-f]+|[a-z][a-z\d]*);/gi, meaning: ofHtml },
  // Browsers also read numbers without the semicolon.
  { pattern: /&#(?:\d+|x[\da-f]+);?/gi, meaning: ofHtml },
];
