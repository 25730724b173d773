import type { Database } from '../../src/db/orm.ts';
import { eventually } from './eventually.ts';

/** Resolves once all older transactions have ended. The feed waits for them, including those of other tests' databases. */
export async function waitForOlderTransactions(db: Database): Promise<void> {
  const [row] = await db.query<{ next: string }>(
    'next-transaction',
    'select pg_snapshot_xmax(pg_current_snapshot())::text as next',
    [],
  );
  const passed = 'select pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 as passed';
  await eventually(
    async () => (await db.query<{ passed: boolean }>('passed-transaction', passed, [row?.next]))[0]?.passed,
  );
}
