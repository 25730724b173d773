/** Client messages of PostgreSQL's protocol that run a statement: Execute, and a simple Query. */
const RUNS_STATEMENT = new Set(['E', 'Q'].map((letter) => letter.charCodeAt(0)));
const LENGTH_BYTES = 4;

/**
 * Counts the statements in what a client sends on one connection. The first message has a length and no type; each later one
 * begins with its type. The length counts itself.
 */
export function statementCounter(count: () => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  let typeBytes = 0;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= typeBytes + LENGTH_BYTES) {
      const size = typeBytes + rest.readInt32BE(typeBytes);
      if (rest.length < size) return;
      if (typeBytes > 0 && RUNS_STATEMENT.has(rest[0] as number)) count();
      rest = rest.subarray(size);
      typeBytes = 1;
    }
  };
}
