/** Shorter names, such as PORT or name, are too close to other words. */
const FEWEST_LETTERS = 6;
/** Two edits of a shorter name may give another real name, such as DATABASE_SSL, API_RATE_LIMIT or TEMPORAL_UI_HOST. */
const SHORTEST_FOR_TWO_EDITS = 18;

/** The known names with the fewest edits to this name, if they are near enough to be the intended name. */
export function nearestNames(name: string, known: Iterable<string>): string[] {
  const candidates = [...known]
    .filter((other) => Math.abs(other.length - name.length) <= editsAllowed(other))
    .map((other) => ({ other, edits: editsBetween(name, other) }))
    .filter(({ other, edits }) => edits <= editsAllowed(other));
  const fewest = Math.min(...candidates.map(({ edits }) => edits));
  return candidates.filter(({ edits }) => edits === fewest).map(({ other }) => other);
}

function editsAllowed(name: string): number {
  if (name.replaceAll(/[^A-Za-z]/g, '').length < FEWEST_LETTERS) return 0;
  return name.length < SHORTEST_FOR_TWO_EDITS ? 1 : 2;
}

/** The number of characters to delete, insert, replace or swap with their neighbour. */
export function editsBetween(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const editsAt = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const beforeSwap = editsAt(row - 2, column - 2);
      current.push(
        Math.min(
          editsAt(row - 1, column) + 1,
          editsAt(row, column - 1) + 1,
          editsAt(row - 1, column - 1) + (isSame ? 0 : 1),
          isSwap ? beforeSwap + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return editsAt(from.length, to.length);
}
