/** The value of a table's cell; null shows as a dash. */
export type Cell = string | number | boolean | null;

/**
 * The headings of the columns, and the value of each for a row: the name of a field, or a function of the row. A field is
 * shown to the minute if its heading ends in (UTC).
 */
export type Columns<Row> = Record<string, FieldOf<Row> | ((row: Row) => Cell)>;
type FieldOf<Row> = {
  [Name in keyof Row & string]: Row[Name] extends Cell | undefined ? Name : never;
}[keyof Row & string];

const GAP = '  ';

/** Rows under their headings. Aligns numbers to the right, and the rest to the left. */
export function table<Row>(rows: Row[], columns: Columns<NoInfer<Row>>): string {
  if (rows.length === 0) return 'None.';
  const names = Object.keys(columns);
  const cells = rows.map((row) => names.map((name) => cellOf(row, name, columns)));
  const lines = [names, ...cells.map((row) => row.map(text))];
  const widths = names.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  const toRight = names.map((_, i) => cells.every((row) => typeof row[i] === 'number' || row[i] === null));
  const aligned = (line: string[]) =>
    line.map((cell, i) => (toRight[i] ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)));
  return lines.map((line) => aligned(line).join(GAP).trimEnd()).join('\n');
}

function cellOf<Row>(row: Row, heading: string, columns: Columns<Row>): Cell {
  const column = columns[heading];
  if (typeof column === 'function') return column(row);
  const value = row[column as keyof Row] as Cell;
  return heading.endsWith('(UTC)') ? minute(value as string | null) : value;
}

/** A table of these columns, as a function of its rows. */
export const tableOf =
  <Row>(columns: Columns<Row>) =>
  (rows: Row[]): string =>
    table(rows, columns);

/** A new secret with its facts, and the warning that it is shown once. */
export const secret = (of: Record<string, Cell>, warning: string): string => `${facts(of)}\n\n${warning}.`;

/** An instant to the minute, with its zone. */
export const minuteUtc = (iso: string): string => `${minute(iso)} UTC`;

/** A line for each property of one object. */
export function facts(of: Record<string, Cell>): string {
  const width = Math.max(...Object.keys(of).map((name) => name.length));
  return Object.entries(of)
    .map(([name, value]) => `${name.padEnd(width)}${GAP}${text(value)}`)
    .join('\n');
}

/** An instant to the minute, in UTC. */
export const minute = (iso: string | null): string | null => iso?.slice(0, 16).replace('T', ' ') ?? null;

/** An instant to the millisecond, in UTC, for events that follow each other within a second. */
export const millisecond = (iso: string): string => iso.slice(0, 23).replace('T', ' ');

/** A cell's text on one line, without the characters that move a terminal's cursor. */
export function text(value: Cell): string {
  if (value === null) return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return String(value).replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}

/** Names after each other. */
export const listed = (names: string[]): string => (names.length > 0 ? names.join('; ') : 'none');
