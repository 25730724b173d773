import { chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../../src/service/embedded/postgres.ts';
import type { Certified } from './certificates.ts';

/** A real PostgreSQL with TLS. */
export interface SecuredPostgres {
  /** The superuser's URL at `host`, without any option of TLS. */
  url: (host: string) => URL;
  /** From now on it shows this certificate. */
  showCertificate: (certified: Certified) => Promise<void>;
  /** From now on client certificates must be of this authority, given as PEM. Ends all other connections. */
  trustClientsOf: (authority: string) => Promise<void>;
  /** From now on it lets nobody in whom these lines of `pg_hba.conf` do not. */
  letIn: (lines: string) => Promise<void>;
  stop: () => Promise<void>;
}

/** `clientAuthority`: PEM of the authority of client certificates. */
export async function startSecuredPostgres(
  server: Certified,
  clientAuthority: string,
): Promise<SecuredPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-postgres-tls-'));
  const dataDir = join(folder, 'postgres');
  const { url, stop } = await startPostgres(dataDir, ['fsync=off']);
  // It stays connected, because later connections may need a certificate.
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const write = async (name: string, content: string) => {
    const path = join(dataDir, name);
    await writeFile(path, content, { mode: 0o600 });
    // The server may run as another user.
    const { uid, gid } = await stat(dataDir);
    await chown(path, uid, gid);
  };
  const reload = () => client.query('select pg_reload_conf()');
  const showCertificate = async ({ cert, key }: Certified) => {
    await write('server.crt', cert);
    await write('server.key', key);
    await reload();
  };
  const trustClientsOf = async (pem: string) => {
    await write('clients.crt', pem);
    await reload();
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'`,
    );
  };
  await write('clients.crt', clientAuthority);
  await client.query(`alter system set ssl_ca_file = 'clients.crt'`);
  await client.query('alter system set ssl = on');
  await showCertificate(server);
  return {
    url: (host) => Object.assign(new URL(url), { hostname: host }),
    showCertificate,
    trustClientsOf,
    letIn: async (lines) => {
      await write('pg_hba.conf', `${lines}\n`);
      await reload();
    },
    stop: async () => {
      await client.end();
      await stop();
      await rm(folder, { recursive: true });
    },
  };
}
