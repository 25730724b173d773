import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ComponentChildren;
  /** Numbers are right-aligned, for comparison. */
  kind?: 'number' | 'actions';
}

/** A table with a caption. On narrow screens each row becomes a card that repeats the column titles. */
export function Table<Row>({
  caption,
  columns,
  rows,
  keyOf,
  empty,
}: {
  caption: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string | number;
  /** Shown below the caption if there are no rows. */
  empty: ComponentChildren;
}) {
  if (rows.length === 0)
    return (
      <div class="state">
        <Icon name="empty" />
        <strong>{caption}</strong>
        <p>{empty}</p>
      </div>
    );
  return (
    <div class="table">
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, kind }) => (
              <th key={title} scope="col" class={kind}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} data-row={keyOf(row)}>
              {columns.map(({ title, cell, kind }) => (
                <td key={title} class={kind} data-title={title}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
