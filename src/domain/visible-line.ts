/**
 * Whether a text is one line that people can read: without control characters, line breaks and marks that reorder the text,
 * and with something visible. The two joiners (U+200C, U+200D) are allowed, because names in some scripts need them.
 */
export const isVisibleLine = (text: string): boolean => hasNoControls(text) && hasSomethingVisible(text);

export const hasNoControls = (text: string): boolean =>
  /^(?:[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|[\u200c\u200d])*$/u.test(text);

/**
 * Unicode counts some signs that show nothing as letters or symbols: fillers such as U+3164, the empty braille pattern, the null
 * notehead, blanks of hieroglyphs, and the stand-in for an object that a text does not contain.
 */
export const hasSomethingVisible = (text: string): boolean =>
  /(?![\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{13441}\u{13442}\u{1d159}])[\p{L}\p{N}\p{P}\p{S}]/u.test(
    text,
  );
