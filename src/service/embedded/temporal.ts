import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, requireFreePort } from '../../process/free-port.ts';
import { StartupError } from '../../process/startup-error.ts';
import { commandOf, lastLines } from './run-command.ts';

export interface EmbeddedTemporal {
  /** host:port of the frontend. */
  address: string;
  uiUrl: string;
  stop: () => Promise<void>;
}

export interface TemporalOptions {
  binary: string;
  /** SQLite file that stores the workflows. */
  file: string;
  /** A namespace that the server has from its start. */
  namespace?: StartNamespace;
  uiPort: number;
  /** Where the server shows its own metrics, at /metrics. Default: a port that it chooses. */
  metricsPort?: number;
  /** `off`: SQLite never syncs to the disk, for disposable data. */
  synchronous?: 'normal' | 'off';
  /** Further settings of the server, by their names in its dynamic configuration. */
  dynamicConfig?: Record<string, string>;
}

export interface StartNamespace {
  name: string;
  /** The types by name, as Temporal's commands write them: `Keyword`. */
  searchAttributes: Record<string, string>;
}

/**
 * Settings that let the development server serve payments. The server polls its queues without a rate limit, and its
 * SQLite file uses a write-ahead log instead of a full sync per commit. A killed process loses nothing. A power cut may
 * lose the last moments, which the reconciler repairs from the order rows.
 *
 * Each task queue has one partition. With the default of four, a worker's few pollers may miss a partition, and new
 * orders in it wait for more than a second.
 *
 * The development server reads the search attributes from its database each time that it shows or changes a workflow: half
 * of its reads. Corridor's never change while it runs, so the server may keep them.
 */
const DYNAMIC_CONFIG = {
  ...{ 'history.transferProcessorMaxPollRPS': '5000', 'history.timerProcessorMaxPollRPS': '5000' },
  'history.visibilityProcessorMaxPollRPS': '5000',
  ...{ 'matching.numTaskqueueReadPartitions': '1', 'matching.numTaskqueueWritePartitions': '1' },
  'system.forceSearchAttributesCacheRefreshOnRead': 'false',
};

/** From its start, the server knows what its flags create. It learns within two seconds of what is created later. */
const namespaceFlags = ({ name: namespace, searchAttributes }: StartNamespace): string[] => [
  ...['--namespace', namespace],
  ...Object.entries(searchAttributes).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
];

/** Go collects garbage when the heap is five times as large as after the last collection, and not twice. It is small here. */
const GOGC = '400';

/** Half of the cores. Go on both of two cores spends much of its time on switching between threads: docs/decisions.md. */
const GOMAXPROCS = String(Math.max(1, Math.floor(availableParallelism() / 2)));

/**
 * Starts Temporal's development server and its UI in their own process group. The server also listens on ports that it
 * chooses itself. If another program takes one of them first, this starts the server again.
 */
export async function startTemporal(options: TemporalOptions): Promise<EmbeddedTemporal> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(options);
    } catch (error) {
      if (attempt === ATTEMPTS || !(error instanceof PortTaken)) throw error;
    }
  }
}
const ATTEMPTS = 5;

class PortTaken extends StartupError {}

async function startOnce({
  binary,
  file,
  namespace,
  uiPort,
  metricsPort,
  synchronous = 'normal',
  dynamicConfig = {},
}: TemporalOptions): Promise<EmbeddedTemporal> {
  await mkdir(dirname(file), { recursive: true });
  const pidFile = `${file}.pid`;
  await rm(addressFileOf(file), { force: true });
  await stopLeftOver(pidFile, file);
  await requireFreePort(uiPort, '127.0.0.1', 'TEMPORAL_UI_PORT');

  const port = await freePort();
  const uiUrl = `http://127.0.0.1:${uiPort}`;
  const logFile = `${file}.log`;
  const log = await open(logFile, 'a', 0o600);
  const { size: loggedBefore } = await log.stat();
  const sync = ['--sqlite-pragma', `synchronous=${synchronous}`];
  const ports = ['--ip', '127.0.0.1', '--port', String(port), '--ui-port', String(uiPort)];
  const server = spawnPrivately(
    binary,
    [
      'server',
      'start-dev',
      '--db-filename',
      file,
      '--log-level',
      'warn',
      ...ports,
      ...sync,
      ...['--sqlite-pragma', 'journal_mode=wal'],
      ...(metricsPort === undefined ? [] : ['--metrics-port', String(metricsPort)]),
      ...(namespace === undefined ? [] : namespaceFlags(namespace)),
      ...Object.entries({ ...DYNAMIC_CONFIG, ...dynamicConfig }).flatMap(([name, value]) => [
        '--dynamic-config-value',
        `${name}=${value}`,
      ]),
    ],
    { detached: true, stdio: ['ignore', log.fd, log.fd], env: { GOGC, GOMAXPROCS, ...process.env } },
  );
  await log.close();
  const exited = new Promise<void>((resolve) =>
    server.once('exit', () => resolve()).once('error', () => resolve()),
  );
  const notStarted = new Promise<never>((_, reject) => server.once('error', reject));
  await writeFile(pidFile, `${server.pid ?? ''}\n`, { mode: 0o600 });

  const stop = async () => {
    if (server.exitCode === null && server.signalCode === null) server.kill('SIGTERM');
    await exited;
    await rm(addressFileOf(file), { force: true });
    await rm(pidFile, { force: true });
  };
  try {
    await Promise.race([untilServing(server, uiUrl), notStarted]);
  } catch (error) {
    await stop();
    const logged = (await readFile(logFile)).subarray(loggedBefore).toString();
    const Failure = logged.includes('address already in use') ? PortTaken : StartupError;
    throw new Failure(
      `The Temporal server did not start: ${(error as Error).message}\n${lastLines(logged, 10)}`,
    );
  }
  const address = `127.0.0.1:${port}`;
  await writeFile(addressFileOf(file), `${address}\n${uiUrl}\n`, { mode: 0o600 });
  return { address, uiUrl, stop };
}

/** Starts a program whose files only its own user can read. A child keeps the mask that holds while it starts. */
function spawnPrivately(...[program, flags, options]: Parameters<typeof spawn>): ChildProcess {
  const mask = process.umask(0o077);
  try {
    return spawn(program, flags, options);
  } finally {
    process.umask(mask);
  }
}

/** The server that another process runs on `file`; undefined if no process has started one. */
export async function runningTemporal(
  file: string,
): Promise<Pick<EmbeddedTemporal, 'address' | 'uiUrl'> | undefined> {
  if (!existsSync(addressFileOf(file))) return undefined;
  const [address = '', uiUrl = ''] = (await readFile(addressFileOf(file), 'utf8')).split('\n');
  return { address, uiUrl };
}

const addressFileOf = (file: string) => `${file}.address`;

/**
 * Waits until the UI answers that a workflow does not exist, which proves that the server is ready. A connection to its
 * port would prove nothing: the server first opens each port briefly to check that it is free, and may lose it
 * afterwards.
 */
async function untilServing(server: ChildProcess, uiUrl: string): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    const exit = server.exitCode ?? server.signalCode;
    if (exit !== null) throw new Error(`it ended (${exit})`);
    if (await isServing(uiUrl)) return;
    await delay(50);
  }
  throw new Error('it did not serve within 60 s');
}

const NOT_FOUND = 404;

const isServing = (uiUrl: string): Promise<boolean> =>
  fetch(`${uiUrl}/api/v1/namespaces/default/workflows/none`, { signal: AbortSignal.timeout(2_000) }).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.status === NOT_FOUND;
    },
    () => false,
  );

/**
 * Stops the server that a killed start left running, because it locks the file. Checks first that the process is that
 * server.
 */
async function stopLeftOver(pidFile: string, file: string): Promise<void> {
  const pid = Number(await readFile(pidFile, 'utf8').catch(() => ''));
  if (!pid) return;
  const isRunning = async () => (await commandOf(pid)).includes(file);
  if (await isRunning()) process.kill(pid, 'SIGTERM');
  for (let waited = 0; (await isRunning()) && waited < 10_000; waited += 100) await delay(100);
  if (await isRunning())
    throw new StartupError(
      `The Temporal server of an earlier start (pid ${pid}) does not stop. End it first.`,
    );
  await rm(pidFile, { force: true });
}
