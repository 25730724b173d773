import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../../src/embedded/cache-folder.ts';

const COMPOSE_VERSION = '1.6.0';

/** podman and podman-compose, as they work as root on a machine without systemd and without crun. */
export interface Engine {
  /** Runs podman and returns its standard output. Rejects with the last lines of its output. */
  podman: (...args: string[]) => Promise<string>;
  /** Builds an image from a folder. */
  build: (folder: string, containerfile: string, tag: string) => Promise<void>;
  /** Runs podman-compose on the project's own file and what the test replaces in it. */
  compose: (...args: string[]) => Promise<string>;
}

export interface EngineOptions {
  /** The name of the arrangement: of its network, containers and volumes. */
  project: string;
  /** The Compose files, and the folder that they are relative to. */
  files: string[];
  folder: string;
  /** The variables that the files use. */
  env: Record<string, string>;
}

/** Another runtime than crun, which refuses mixed control groups; events without journald. */
const CONTAINERS_CONF = `[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
`;

export async function openEngine({ project, files, folder, env }: EngineOptions): Promise<Engine> {
  const cache = join(cacheFolder(process.env), 'containers');
  await mkdir(cache, { recursive: true });
  const conf = join(cache, 'containers.conf');
  await writeFile(conf, CONTAINERS_CONF);
  const registries = join(cache, 'registries.conf');
  // Only local images are used. This says what a short name in the Compose file stands for.
  await writeFile(registries, 'unqualified-search-registries = ["docker.io"]\n');
  const settings = { ...process.env, ...env, CONTAINERS_CONF: conf, CONTAINERS_REGISTRIES_CONF: registries };
  await run('podman', ['--version'], settings).catch(() => {
    throw new Error(
      'podman is missing. On Debian, root installs it with: apt-get install podman runc buildah iptables debootstrap netavark aardvark-dns',
    );
  });
  const python = join(cache, `podman-compose-${COMPOSE_VERSION}`);
  if (!existsSync(join(python, 'bin', 'podman-compose'))) {
    await run('python3', ['-m', 'venv', python], settings);
    const package_ = `podman-compose==${COMPOSE_VERSION}`;
    await run(join(python, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', package_], settings);
  }
  const podman: Engine['podman'] = (...args) => run('podman', args, settings);
  return {
    podman,
    build: async (context, containerfile, tag) => {
      // "podman build" needs rights that a machine may not give; this way needs none.
      const options = ['--isolation', 'chroot', '--layers', '--pull-never', '--format', 'docker'];
      await run('buildah', ['bud', ...options, '--file', containerfile, '--tag', tag, context], settings);
    },
    compose: (...args) =>
      run(
        join(python, 'bin', 'podman-compose'),
        [
          '--project-name',
          project,
          ...files.flatMap((file) => ['--file', file]),
          '--in-pod',
          'false',
          ...args,
        ],
        settings,
        folder,
      ),
  };
}

const LAST_LINES = 30;

/** Runs a program. Its error output is shown only if it fails. */
export function run(
  program: string,
  args: string[],
  env: NodeJS.ProcessEnv = process.env,
  cwd = process.cwd(),
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const out: Buffer[] = [];
    const all: Buffer[] = [];
    child.stdout.on('data', (chunk) => {
      out.push(chunk);
      all.push(chunk);
    });
    child.stderr.on('data', (chunk) => all.push(chunk));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) return resolve(Buffer.concat(out).toString());
      const last = Buffer.concat(all).toString().trimEnd().split('\n').slice(-LAST_LINES).join('\n');
      reject(new Error(`${program} ${args.join(' ')} ended with ${code}:\n${last}`));
    });
  });
}
