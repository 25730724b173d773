import { StartupError } from '../process/startup-error.ts';
import { ADVISORY_LOCKS } from './advisory-locks.ts';
import { namingOwner } from './errors.ts';
import { type Database, type DatabaseOptions, openDatabase } from './orm.ts';
import { hasPresentSchema } from './present-schema.ts';
import { grantRights, missingRoles } from './rights.ts';

/** A migration that waits for a table makes everybody else wait for the table too. */
const LOCK_TIMEOUT_MS = 5_000;
const LOCK_NOT_AVAILABLE = '55P03';

export interface Migrated {
  /** The names of the migrations that were pending. */
  applied: string[];
  /** The roles that the server does not have, and that the owner may not create. */
  missingRoles: string[];
}

/**
 * Applies the pending migrations, and gives the roles their rights. The URL is the owner's. Several processes may call this at
 * once: each waits for the previous one, without a timeout. Rejects with a StartupError if somebody else keeps a table locked,
 * or if the role is not the owner.
 */
export async function migrate(options: DatabaseOptions): Promise<Migrated> {
  const db = await openDatabase({
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    ...{ ...options, queryTimeoutMs: 0, create: true },
  });
  const lock = await db.pool.connect();
  try {
    await lock.query('set lock_timeout = 0');
    await lock.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.migration]);
    await lock.query('reset lock_timeout');
    await requireAccess(db);
    const done = await db.orm.migrator.up();
    // Its tables are those that the rights name.
    if (await hasPresentSchema(db)) await grantRights(lock);
    return { applied: done.map((migration) => migration.name), missingRoles: await missingRoles(lock) };
  } catch (error) {
    throw inOneLine(error as { code?: unknown }, options.url);
  } finally {
    // Closes the connection instead of returning it, which releases the lock in every case.
    lock.release(true);
    await db.close();
  }
}

function inOneLine(error: { code?: unknown }, url: string): unknown {
  if (error.code === LOCK_NOT_AVAILABLE)
    return new StartupError(
      'Another transaction keeps a table locked, so the migration has given up and changed nothing. Run "migrate" again when no long transaction runs.',
      { cause: error },
    );
  return namingOwner(error, url);
}

const ACCESS = `
  select current_user as role, has_table_privilege(to_regclass('mikro_orm_migrations'), 'select') as "mayRead",
    has_table_privilege(to_regclass('process_heartbeat'), 'insert') as "mayWrite"`;

/**
 * Whether migrations are pending. Rejects if the database is unreachable, and with `ClosedTables` if this role may not read,
 * or may only read. The ORM would try to create the table of its migrations if it cannot read it.
 */
export async function needsMigration(db: Database): Promise<boolean> {
  const areThere = await requireAccess(db);
  return !areThere || (await db.orm.migrator.getPending()).length > 0;
}

/** The tables of the database are closed to the role that connects. */
export class ClosedTables extends StartupError {}

/** Null: the table does not exist. */
interface Access extends Record<string, unknown> {
  role: string;
  mayRead: boolean | null;
  mayWrite: boolean | null;
}

const MAY_READ = `select current_user as role, has_table_privilege(to_regclass('orders'), 'select') as "mayRead"`;

/** Rejects if the reader's database is unreachable or has no tables of Corridor, or if its role may not read them. */
export async function requireReader(reader: Database): Promise<void> {
  const [access] = await reader.query<Omit<Access, 'mayWrite'>>('reader-access', MAY_READ, []);
  if (access?.mayRead === true) return;
  throw new ClosedTables(
    access?.mayRead === false
      ? `The role ${access.role} of DATABASE_READER_URL may not read Corridor's tables: docs/operations.md#the-roles-of-the-database`
      : 'DATABASE_READER_URL names a database without the tables of Corridor. It must be the database of DATABASE_URL.',
  );
}

/** Whether there are tables. */
async function requireAccess(db: Database): Promise<boolean> {
  const [access] = await db.query<Access>('access', ACCESS, []);
  if (access?.mayRead === false)
    throw new ClosedTables(
      `The role ${access.role} may not read Corridor's tables. Grant it the rights of the service, or run "migrate" as their owner: docs/operations.md#the-roles-of-the-database`,
    );
  if (access?.mayWrite === false)
    throw new ClosedTables(
      `The role ${access.role} may only read Corridor's tables. DATABASE_URL must be of the service's role: docs/operations.md#the-roles-of-the-database`,
    );
  return access?.mayRead === true;
}
