/**
 * Whether a text is one line that people can read: without control characters, line breaks and marks that reorder the text,
 * and with something visible. The two joiners (U+200C, U+200D) are allowed, because names in some scripts need them.
 */
export const isVisibleLine = (text: string): boolean => hasNoControls(text) && hasSomethingVisible(text);

export const hasNoControls = (text: string): boolean =>
  /^(?:[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|[\u200c\u200d])*$/u.test(text);

/**
 * Signs that show nothing, although Unicode counts them as letters or symbols and not all as ignorable: the empty braille pattern,
 * the null notehead, the blanks of hieroglyphs, and the stand-in for an object that a text does not contain.
 */
const BLANKS = String.raw`\u2800\ufffc\u{13441}\u{13442}\u{1d159}`;
const VISIBLE = new RegExp(
  String.raw`(?![\p{Default_Ignorable_Code_Point}${BLANKS}])[\p{L}\p{N}\p{P}\p{S}]`,
  'u',
);

export const hasSomethingVisible = (text: string): boolean => VISIBLE.test(text);
