/** A field that Corridor writes itself, such as a number, an id or a time. Null: empty. */
export type CsvValue = string | number | null;

/** A text that a person or another system chose. */
export interface FreeText {
  text: string | null;
}

/** Marks a text that may begin with anything. */
export const freeText = (text: string | null | undefined): FreeText => ({ text: text ?? null });

/** Spreadsheets read a field that begins like this as a formula, also after quotation marks. */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * Returns one line of CSV (RFC 4180) with its line break. A free text that a spreadsheet would calculate gets an apostrophe
 * before it, so that it stays text.
 */
export const csvLine = (fields: readonly (CsvValue | FreeText)[]): string =>
  `${fields.map(fieldOf).join(',')}\r\n`;

function fieldOf(field: CsvValue | FreeText): string {
  if (field === null) return '';
  if (typeof field !== 'object') return quoted(String(field));
  if (field.text === null) return '';
  return quoted(FORMULA.test(field.text) ? `'${field.text}` : field.text);
}

/** Some spreadsheets separate fields at semicolons or tabs, and would calculate what follows one. */
const quoted = (text: string): string =>
  /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
