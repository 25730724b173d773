import { initialSchema, schemaHash } from './initial-schema.ts';
import type { Database } from './orm.ts';

const UNDEFINED_TABLE = '42P01';

/**
 * Whether the database was made by the initial schema that this code has. Until the first release that schema changes in
 * place, and no migration leads from one to the next.
 */
export async function hasPresentSchema(db: Database): Promise<boolean> {
  const rows = await db
    .query<{ hash: string }>('initial-schema', 'select hash from initial_schema', [])
    .catch((error) => {
      if (error.code === UNDEFINED_TABLE) return [];
      throw error;
    });
  return rows[0]?.hash === schemaHash(await initialSchema(db.orm.schema));
}
