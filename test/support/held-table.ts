import pg from 'pg';
import { eventually } from './eventually.ts';
import { waitingFor } from './waiting-statements.ts';

/** A table that is locked against writes until it is released. */
export interface HeldTable {
  /** Resolves when a statement that writes to the table waits in the database. */
  waitUntilBlocked: () => Promise<void>;
  /** Ends the connections of the waiting statements, which rolls them back. */
  endWaiting: () => Promise<void>;
  release: () => Promise<void>;
  /** Queries the database directly, not through a proxy that a test may have cut. */
  query: <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;
  close: () => Promise<void>;
}

/**
 * Blocks writes to a table, so that a test decides what happens before they commit. Reads continue. Neither this lock
 * nor the wait for it takes a transaction id, which would delay the feeds of other tests' databases.
 */
export async function holdTable(databaseUrl: string, table: string): Promise<HeldTable> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const query: HeldTable['query'] = async (text, values = []) => (await client.query(text, values)).rows;
  const waiting = () => waitingFor(client, table);
  try {
    await query('begin');
    await query(`lock table ${table} in exclusive mode`);
  } catch (error) {
    await client.end();
    throw error;
  }
  return {
    query,
    waitUntilBlocked: async () => {
      await eventually(async () => (await waiting()).length > 0);
    },
    endWaiting: async () => {
      for (const { pid } of await waiting()) await query('select pg_terminate_backend($1)', [pid]);
      await eventually(async () => (await waiting()).length === 0);
    },
    release: async () => {
      await query('commit');
    },
    close: () => client.end(),
  };
}
