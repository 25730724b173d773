import type { Answer } from '../../dev/http-client.ts';
import type { TestCorridor } from './corridor.ts';
import { eventually } from './eventually.ts';
import { countWaiting } from './waiting-statements.ts';

/** Makes a call while a statement has not committed yet, and commits it when the call waits for it or is answered. */
export async function duringStatement(
  { db }: Pick<TestCorridor, 'db'>,
  sql: string,
  values: unknown[],
  call: () => Promise<Answer>,
): Promise<Answer> {
  const client = await db.pool.connect();
  try {
    await client.query('begin');
    await client.query(sql, values);
    const called = call();
    let isAnswered = false;
    void called.then(() => {
      isAnswered = true;
    });
    await eventually(async () => isAnswered || (await countWaiting(db.pool)) > 0);
    await client.query('commit');
    return await called;
  } finally {
    client.release(true);
  }
}
