import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../../src/process/cache-folder.ts';
import { runCommand } from '../../src/service/embedded/run-command.ts';

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
  await runCommand('podman', ['--version'], { env: settings }).catch(() => {
    throw new Error(
      'podman is missing. On Debian, root installs it with: apt-get install podman runc buildah iptables debootstrap netavark aardvark-dns',
    );
  });
  const python = join(cache, `podman-compose-${COMPOSE_VERSION}`);
  if (!existsSync(join(python, 'bin', 'podman-compose'))) {
    await runCommand('python3', ['-m', 'venv', python]);
    const package_ = `podman-compose==${COMPOSE_VERSION}`;
    await runCommand(join(python, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', package_]);
  }
  const podman: Engine['podman'] = (...args) => runCommand('podman', args, { env: settings });
  return {
    podman,
    build: async (context, containerfile, tag) => {
      // "podman build" needs rights that a machine may not give; this way needs none.
      const options = ['--isolation', 'chroot', '--layers', '--pull-never', '--format', 'docker'];
      await runCommand('buildah', ['bud', ...options, '--file', containerfile, '--tag', tag, context], {
        env: settings,
      });
    },
    compose: (...args) =>
      runCommand(
        join(python, 'bin', 'podman-compose'),
        [
          ...['--project-name', project, '--in-pod', 'false'],
          ...files.flatMap((file) => ['--file', file]),
          ...args,
        ],
        { env: settings, cwd: folder },
      ),
  };
}
