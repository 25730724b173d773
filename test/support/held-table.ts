import pg from 'pg';
import { eventually } from './eventually.ts';

/** A table that nobody can write to until it is let go. */
export interface HeldTable {
  /** Resolves when a statement that would write to it has reached the database, and waits there. */
  awaited: () => Promise<void>;
  /** Ends the connections of the statements that wait; what they were doing is rolled back. */
  endWaiting: () => Promise<void>;
  letGo: () => Promise<void>;
  /** Looks at the database, past every wire that a test has broken. */
  query: <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;
  close: () => Promise<void>;
}

/**
 * Holds back whatever writes to a table, so that a test may choose what has happened by the time that it commits.
 * Reads go on. Neither this lock nor the wait for it takes a transaction id: that would hold back the feeds of other
 * tests' databases, too.
 */
export async function holdTable(databaseUrl: string, table: string): Promise<HeldTable> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const query: HeldTable['query'] = async (text, values = []) => (await client.query(text, values)).rows;
  // Tables of databases that were copied from one have the same number.
  const waiting = () =>
    query<{ pid: number }>(
      `select pid from pg_locks join pg_database d on d.oid = pg_locks.database
       where not granted and relation = '${table}'::regclass and d.datname = current_database()`,
    );
  try {
    await query('begin');
    await query(`lock table ${table} in exclusive mode`);
  } catch (error) {
    await client.end();
    throw error;
  }
  return {
    query,
    awaited: async () => {
      await eventually(async () => (await waiting()).length > 0);
    },
    endWaiting: async () => {
      for (const { pid } of await waiting()) await query('select pg_terminate_backend($1)', [pid]);
      await eventually(async () => (await waiting()).length === 0);
    },
    letGo: async () => {
      await query('commit');
    },
    close: () => client.end(),
  };
}
