import { chown, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { runCommand } from '../../src/service/embedded/run-command.ts';

/** Without the write-ahead log, which is copied at the end. */
const COPY = 'tar -C "$0" --exclude="./pg_wal/*" --exclude=./postmaster.pid -cf - . | tar -C "$1" -xpf -';
const COPY_LOG = 'tar -C "$0/pg_wal" -cf - . | tar -C "$1/pg_wal" -xpf -';

/**
 * Copies the files of a running PostgreSQL server like `pg_basebackup`, which npm does not provide. A server that starts
 * on the copy has everything that was committed before the copy ended. `wal_keep_size` must be large enough for the
 * server to keep its log until then.
 */
export async function baseBackup(url: string, dataDir: string, copy: string): Promise<void> {
  await mkdir(copy, { recursive: true, mode: 0o700 });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`select pg_backup_start('a test', true)`);
    await runCommand('sh', ['-c', COPY, dataDir, copy]);
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    const label = join(copy, 'backup_label');
    await writeFile(label, rows[0]?.labelfile ?? '');
    // The server may run as another user.
    const { uid, gid } = await stat(dataDir);
    await chown(label, uid, gid);
    await runCommand('sh', ['-c', COPY_LOG, dataDir, copy]);
  } finally {
    await client.end();
  }
}
