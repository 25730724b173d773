import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ComponentChildren;
  /** Numbers stand at the right, so that they can be compared. */
  kind?: 'number' | 'actions';
}

/** A table with a name; where it is narrow, each row becomes a card whose values have their column's title. */
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
  /** What stands below its name without rows. */
  empty: ComponentChildren;
}) {
  if (rows.length === 0)
    return (
      <div class="state">
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
