import type { TestCorridor } from './corridor.ts';
import { eventually } from './eventually.ts';
import { countWaiting } from './waiting-statements.ts';

/** Makes a call while a statement has not committed yet, and commits it when the call waits for it or is answered. */
export async function duringStatement<T>(
  { db }: Pick<TestCorridor, 'db'>,
  sql: string,
  values: unknown[],
  call: () => Promise<T>,
): Promise<T> {
  const client = await db.pool.connect();
  try {
    await client.query('begin');
    await client.query(sql, values);
    const called = call();
    let isAnswered = false;
    const note = () => {
      isAnswered = true;
    };
    void called.then(note, note);
    await eventually(async () => isAnswered || (await countWaiting(db.pool)) > 0);
    await client.query('commit');
    return await called;
  } finally {
    client.release(true);
  }
}
