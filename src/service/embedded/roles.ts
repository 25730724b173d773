import { createHmac } from 'node:crypto';
import { ROLES } from '../../db/roles.ts';

/** The superuser of the embedded PostgreSQL. Only a start uses it, to create the other roles. */
export const SUPERUSER = 'corridor';
const LOGINS = { owner: 'corridor_owner', ...ROLES };

/** Derived, so that the password of one role says nothing about that of another. */
const passwordOf = (secret: string, login: string) =>
  createHmac('sha256', secret).update(login).digest('base64url');

/** The URL of the same database for another role, from that of the superuser. */
export function roleUrl(superuserUrl: string, role: keyof typeof LOGINS): string {
  const url = new URL(superuserUrl);
  const login = LOGINS[role];
  [url.username, url.password] = [login, passwordOf(url.password, login)];
  return url.href;
}

/** Creates the roles, with their passwords, and gives the database to its owner. A second call changes nothing. */
export async function createRoles(superuserUrl: string): Promise<void> {
  // Loaded here, because the admin CLI loads this file and rarely a database.
  const { Client } = (await import('pg')).default;
  const client = new Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    for (const role of Object.keys(LOGINS) as (keyof typeof LOGINS)[]) {
      const { username, password } = new URL(roleUrl(superuserUrl, role));
      const { rowCount } = await client.query('select from pg_roles where rolname = $1', [username]);
      await client.query(`${rowCount ? 'alter' : 'create'} role ${username} login password '${password}'`);
    }
    await client.query(`alter database postgres owner to ${LOGINS.owner}`);
  } finally {
    await client.end();
  }
}
