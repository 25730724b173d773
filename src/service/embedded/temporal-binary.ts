import { createHash } from 'node:crypto';
import { accessSync, constants, statSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from '../../process/cache-folder.ts';
import { StartupError } from '../../process/startup-error.ts';
import { runCommand } from './run-command.ts';

const CLI_VERSION = '1.5.1';
/** The server that is part of this CLI. Corridor also takes a newer one of the same major version. */
const SERVER_VERSION = [1, 29] as const;
const DOWNLOADS = 'https://github.com/temporalio/cli/releases/download';
/**
 * SHA-256 of the release's archives, by platform. The package lists of cashapp/hermit-packages and zph/hermit-packages
 * (`temporal-cli.hcl`) agree on them; only the first one has Linux on arm64. A platform that is not here is built with Go.
 */
const CHECKSUMS: Readonly<Record<string, string>> = {
  linux_amd64: 'ddc95e08b0b076efd4ea9733a3f488eb7d2be875f8834e616cd2a37358b4852d',
  linux_arm64: 'bd1b0db9f18b051026de8bf6cc1505f2510f14bbb7a8b9a4a91fff46c77454f5',
  darwin_amd64: 'bbb73e2a31135abe50a1f1cdb35030c42961df618e8ce9c60ae89f201540c5d9',
  darwin_arm64: 'cca01b7ea35ad56e2a328d9ae596bf716bd22313ef63c7a761c88354457c2415',
};
const GO_PACKAGE = 'github.com/temporalio/cli/cmd/temporal';
/** The Go module of a build. It pins every dependency by its hash. */
const GO_MODULE = fileURLToPath(new URL('./temporal-server', import.meta.url));

/** Reports slow steps while they run. */
export type Progress = (message: string) => void;

interface Options {
  env: NodeJS.ProcessEnv;
  progress: Progress;
  /** Aborts a download or a build. */
  signal: AbortSignal;
  downloads?: string;
}

/**
 * Finds the Temporal CLI, whose development server Corridor runs: on PATH if its version fits, in the user's cache, by a
 * download, or by a build with Go, in this order. The cache keeps the result of a download or a build, so that it happens once.
 */
export async function findTemporal({
  env,
  progress,
  signal,
  downloads = DOWNLOADS,
}: Options): Promise<string> {
  const onPath = (env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'temporal'));
  const cache = join(cacheFolder(env), `temporal-server-${CLI_VERSION}`);
  const cached = join(cache, 'temporal');
  for (const program of onPath.filter(isProgram)) {
    const version = await serverVersion(program);
    if (version && isSupported(version)) return program;
    const what = version ? `has Temporal server ${version.join('.')}` : 'does not say its version';
    progress(
      `${program} ${what}: Corridor needs ${SERVER_VERSION.join('.')} or a newer 1.x, and looks elsewhere`,
    );
  }
  if (isProgram(cached)) return cached;

  await mkdir(cache, { recursive: true });
  const failures: string[] = [];
  const ways = [
    { name: `downloading the Temporal server ${CLI_VERSION}`, run: download },
    { name: `building the Temporal server ${CLI_VERSION} with Go (once; a few minutes)`, run: build },
  ];
  for (const way of ways) {
    // Each start works in its own folder and renames the result at the end, so concurrent first starts do no harm.
    const work = await mkdtemp(join(cache, 'new-'));
    try {
      await withElapsedTime(way.name, progress, () => way.run(work));
      await rename(join(work, 'temporal'), cached);
      return cached;
    } catch (error) {
      signal.throwIfAborted();
      failures.push(`${way.name}: ${(error as Error).message}`);
      progress(`${way.name} failed`);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  }
  throw new StartupError(
    [
      'Corridor found no Temporal server. Do one of these:',
      '  - set TEMPORAL_ADDRESS to your own Temporal server',
      '  - put the Temporal CLI on PATH (https://docs.temporal.io/cli)',
      '  - install Go, so that Corridor can build the server',
      'Corridor tried:',
      ...failures.map((failure) => `  - ${failure}`),
    ].join('\n'),
  );

  async function download(folder: string) {
    const cpu = arch() === 'x64' ? 'amd64' : arch();
    const system = `${platform()}_${cpu}`;
    const expected = CHECKSUMS[system];
    if (!expected) throw new Error(`there is no checksum for ${system}`);
    const archive = `temporal_cli_${CLI_VERSION}_${system}.tar.gz`;
    const response = await fetch(`${downloads}/v${CLI_VERSION}/${archive}`, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(180_000)]),
    }).catch((error) => {
      throw new Error(error.cause?.message ?? error.message);
    });
    if (!response.ok) throw new Error(`the download answered ${response.status}`);
    const content = Buffer.from(await response.arrayBuffer());
    const found = createHash('sha256').update(content).digest('hex');
    if (found !== expected) throw new Error(`the download has the checksum ${found} instead of ${expected}`);
    await writeFile(join(folder, 'archive.tar.gz'), content);
    await runCommand('tar', ['-xzf', join(folder, 'archive.tar.gz'), '-C', folder, 'temporal']);
    await chmod(join(folder, 'temporal'), 0o755);
    await runCommand(join(folder, 'temporal'), ['--version']);
  }

  async function build(folder: string) {
    const flags = ['-mod=readonly', '-ldflags=-s -w', '-o', join(folder, 'temporal')];
    await runCommand('go', ['build', ...flags, GO_PACKAGE], {
      cwd: GO_MODULE,
      // Without a user's workspace, which would take the place of the module.
      env: { ...env, GOWORK: 'off' },
      signal,
    }).catch((e) => {
      throw e.code === 'ENOENT' ? new Error('Go is not installed') : e;
    });
  }
}

/** The version of the server in a Temporal CLI; undefined: the program does not say it. */
async function serverVersion(program: string): Promise<number[] | undefined> {
  const text = await runCommand(program, ['--version']).catch(() => '');
  const [, major, minor] = /\(Server (\d+)\.(\d+)/.exec(text) ?? [];
  return minor === undefined ? undefined : [Number(major), Number(minor)];
}

const isSupported = ([major, minor = 0]: number[]): boolean =>
  major === SERVER_VERSION[0] && minor >= SERVER_VERSION[1];

async function withElapsedTime(name: string, progress: Progress, work: () => Promise<void>): Promise<void> {
  const started = Date.now();
  progress(`${name} …`);
  const tick = setInterval(
    () => progress(`${name} … ${Math.round((Date.now() - started) / 1000)} s`),
    10_000,
  );
  try {
    await work();
  } finally {
    clearInterval(tick);
  }
}

/** Whether the path is an executable file, and not a folder of that name. */
function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
