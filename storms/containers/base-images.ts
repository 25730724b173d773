import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from '../../src/process/cache-folder.ts';
import { runCommand } from '../../src/service/embedded/run-command.ts';
import type { Engine } from './engine.ts';

const HERE = fileURLToPath(new URL('images/', import.meta.url));
const DEBIAN = 'localhost/corridor-test/debian';
/** Has nginx 1.30 and PostgreSQL 18, as the Compose file asks for. */
const SUITE = 'forky';

/**
 * Makes an image under each name that the Dockerfile and the Compose file use, from Debian's packages, npm and Go modules:
 * where no image can be pulled, everything else of the arrangement can still run as it is. Each is made once.
 */
export async function makeBaseImages(
  engine: Engine,
  names: { node: string; debian: string; nginx: string; postgres: string; temporal: string[] },
  say: (line: string) => void,
): Promise<void> {
  const cache = join(cacheFolder(process.env), 'containers');
  const work = await mkdtemp(join(cache, 'new-'));
  try {
    await make(DEBIAN, () => importDebian(work));
    await engine.podman('tag', DEBIAN, names.debian);
    await make(names.node, async () => {
      const folder = await contextFor('node');
      await cp(process.execPath, join(folder, 'node'));
      const npm = process.env.npm_execpath;
      if (!npm) throw new Error('start this with "npm run test:containers", which says where npm is');
      await cp(dirname(dirname(npm)), join(folder, 'npm'), { recursive: true, dereference: true });
      return folder;
    });
    await make(names.nginx, () => contextFor('nginx'));
    await make(names.postgres, () => contextFor('postgres'));
    const [server = '', ...others] = names.temporal;
    await make(server, temporalContext);
    for (const other of others) await engine.podman('tag', server, other);
  } finally {
    await rm(work, { recursive: true, force: true });
  }

  /** Builds an image unless it exists. `prepare` returns the folder to build, or nothing if it has made the image. */
  async function make(name: string, prepare: () => Promise<string | undefined>): Promise<void> {
    if (await exists(name)) return;
    const started = Date.now();
    const folder = await prepare();
    if (folder) await engine.build(folder, join(folder, 'Containerfile'), name);
    say(`made ${name} in ${Math.round((Date.now() - started) / 1_000)} s`);
  }

  function exists(name: string): Promise<boolean> {
    return engine.podman('image', 'exists', name).then(
      () => true,
      () => false,
    );
  }

  async function contextFor(name: string): Promise<string> {
    const folder = join(work, name);
    await mkdir(folder);
    await cp(join(HERE, `${name}.Containerfile`), join(folder, 'Containerfile'));
    const entrypoint = `${name}-entrypoint.sh`;
    if (existsSync(join(HERE, entrypoint))) await cp(join(HERE, entrypoint), join(folder, entrypoint));
    return folder;
  }

  async function importDebian(at: string): Promise<undefined> {
    const root = join(at, 'root');
    // Debian's own script for a suite has the name of the suite, and is newer than this machine's debootstrap may be.
    const script = '/usr/share/debootstrap/scripts/sid';
    await runCommand('debootstrap', [
      '--variant=minbase',
      '--include=ca-certificates',
      SUITE,
      root,
      await debianMirror(),
      script,
    ]);
    const certificates = process.env.SSL_CERT_FILE ?? '/etc/ssl/certs/ca-certificates.crt';
    await cp(certificates, join(root, 'etc/ssl/certs/ca-certificates.crt'));
    // A mirror may be a copy of some weeks ago.
    await writeFile(join(root, 'etc/apt/apt.conf.d/99-mirror'), 'Acquire::Check-Valid-Until "false";\n');
    const archive = join(at, 'root.tar');
    await runCommand('tar', ['--create', '--file', archive, '--directory', root, '.']);
    await engine.podman('import', archive, DEBIAN);
  }

  async function temporalContext(): Promise<string> {
    const folder = await contextFor('temporal');
    const programs = await temporalPrograms(cache, say);
    await cp(programs, folder, { recursive: true });
    return folder;
  }
}

/** The server, its tool for schemas, its schema and its template, in the user's cache: the build takes minutes. */
async function temporalPrograms(cache: string, say: (line: string) => void): Promise<string> {
  const place = join(cache, 'temporal-1.29.1');
  if (existsSync(place)) return place;
  say('building the Temporal server with Go (once; some four minutes) …');
  const work = await mkdtemp(join(cache, 'new-'));
  try {
    const source = join(work, 'source');
    await cp(join(HERE, 'temporal'), source, { recursive: true });
    const go = (...args: string[]) =>
      runCommand('go', args, { env: { ...process.env, CGO_ENABLED: '0' }, cwd: source });
    await go('mod', 'tidy');
    const made = join(work, 'made');
    for (const [name, package_] of Object.entries({
      'temporal-server': 'go.temporal.io/server/cmd/server',
      'temporal-sql-tool': 'go.temporal.io/server/cmd/tools/sql',
      'render-template': '.',
    }))
      await go('build', '-ldflags=-s -w', '-o', join(made, name), package_);
    const module = (await go('list', '-m', '-f', '{{.Dir}}', 'go.temporal.io/server')).trim();
    await cp(join(module, 'schema'), join(made, 'schema'), { recursive: true });
    await cp(join(module, 'docker/config_template.yaml'), join(made, 'config_template.yaml'));
    await rename(made, place);
    return place;
  } finally {
    await runCommand('chmod', ['-R', 'u+w', work]);
    await rm(work, { recursive: true, force: true });
  }
}

/** The archive from which this machine installs its own packages. */
async function debianMirror(): Promise<string> {
  const folder = '/etc/apt/sources.list.d';
  const files = ['/etc/apt/sources.list', ...(await readdir(folder)).map((name) => join(folder, name))];
  for (const file of files.filter(existsSync)) {
    const [, mirror] =
      /^(?:URIs:|deb)\s+(?:\[.*\]\s+)?(https?:\S+\/debian\/?)(?:\s|$)/m.exec(await readFile(file, 'utf8')) ??
      [];
    if (mirror) return mirror;
  }
  throw new Error(`neither /etc/apt/sources.list nor ${folder} names an archive of Debian`);
}
