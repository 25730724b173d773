/** A Markdown table. Cells must not contain `|`. */
export function table(headings: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(headings), `|${'---|'.repeat(headings.length)}`, ...rows.map(line)].join('\n');
}

export const code = (text: string): string => `\`${text}\``;
