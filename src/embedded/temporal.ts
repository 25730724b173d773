import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, requireFreePort, StartupError } from './free-port.ts';
import { commandOf, lastLines } from './run-command.ts';

export interface EmbeddedTemporal {
  /** host:port of the frontend. */
  address: string;
  uiUrl: string;
  stop: () => Promise<void>;
}

export interface TemporalOptions {
  binary: string;
  /** SQLite file that keeps the workflows. */
  file: string;
  uiPort: number;
  /** `off`: nothing is synced to the disk at all, for data that is thrown away. */
  synchronous?: 'normal' | 'off';
  /** Settings of the server besides those that Corridor needs, by their names in its dynamic configuration. */
  dynamicConfig?: Record<string, string>;
}

/**
 * What the development server needs to serve a payment service: its queues polled as often as there is work, and
 * a write-ahead log instead of a full sync for every commit. A killed process loses nothing;
 * a power cut may lose the last moments, which the reconciler heals from the order rows.
 *
 * Task queues in one part each: of four, which is the default, those that none of a worker's few pollers happens to ask
 * let new orders wait for a second and more.
 */
const DYNAMIC_CONFIG = {
  ...{ 'history.transferProcessorMaxPollRPS': '5000', 'history.timerProcessorMaxPollRPS': '5000' },
  'history.visibilityProcessorMaxPollRPS': '5000',
  ...{ 'matching.numTaskqueueReadPartitions': '1', 'matching.numTaskqueueWritePartitions': '1' },
};

/**
 * Starts Temporal's development server, with its UI, in a process group of its own. It listens on more ports than the
 * two that it is given, and picks those itself: when another program has been quicker, it is started once more.
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
  uiPort,
  synchronous = 'normal',
  dynamicConfig = {},
}: TemporalOptions): Promise<EmbeddedTemporal> {
  await mkdir(dirname(file), { recursive: true });
  const pidFile = `${file}.pid`;
  await stopLeftOver(pidFile, file);
  await requireFreePort(uiPort, '127.0.0.1', 'TEMPORAL_UI_PORT');

  const port = await freePort();
  const uiUrl = `http://127.0.0.1:${uiPort}`;
  const logFile = `${file}.log`;
  const log = await open(logFile, 'a');
  const { size: saidBefore } = await log.stat();
  const sync = ['--sqlite-pragma', `synchronous=${synchronous}`];
  const ports = ['--ip', '127.0.0.1', '--port', String(port), '--ui-port', String(uiPort)];
  const server = spawn(
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
      ...Object.entries({ ...DYNAMIC_CONFIG, ...dynamicConfig }).flatMap(([name, value]) => [
        '--dynamic-config-value',
        `${name}=${value}`,
      ]),
    ],
    { detached: true, stdio: ['ignore', log.fd, log.fd] },
  );
  await log.close();
  const exited = new Promise<void>((resolve) =>
    server.once('exit', () => resolve()).once('error', () => resolve()),
  );
  const notStarted = new Promise<never>((_, reject) => server.once('error', reject));
  await writeFile(pidFile, `${server.pid ?? ''}\n`);

  const stop = async () => {
    if (server.exitCode === null && server.signalCode === null) server.kill('SIGTERM');
    await exited;
    await rm(pidFile, { force: true });
  };
  try {
    await Promise.race([untilServing(server, uiUrl), notStarted]);
  } catch (error) {
    await stop();
    const said = (await readFile(logFile)).subarray(saidBefore).toString();
    // It says so at first, and then much else.
    const PortOrOther = said.includes('address already in use') ? PortTaken : StartupError;
    throw new PortOrOther(
      `The Temporal server did not start: ${(error as Error).message}\n${lastLines(said, 10)}`,
    );
  }
  return { address: `127.0.0.1:${port}`, uiUrl, stop };
}

/**
 * Until it says, by way of its UI, that there is no such workflow: it serves then. A connection to its port says nothing:
 * the server opens each of its ports for a moment, to see that it is free, and may lose one to another program after that.
 */
async function untilServing(server: ChildProcess, uiUrl: string): Promise<void> {
  const giveUpAt = Date.now() + 60_000;
  while (Date.now() < giveUpAt) {
    const end = server.exitCode ?? server.signalCode;
    if (end !== null) throw new Error(`it ended (${end})`);
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

/** A start that was killed leaves its server behind, which holds the file. Ends it, after a look that it is that one. */
async function stopLeftOver(pidFile: string, file: string): Promise<void> {
  const pid = Number(await readFile(pidFile, 'utf8').catch(() => ''));
  if (!pid) return;
  const runs = async () => (await commandOf(pid)).includes(file);
  if (await runs()) process.kill(pid, 'SIGTERM');
  for (let waited = 0; (await runs()) && waited < 10_000; waited += 100) await delay(100);
  if (await runs())
    throw new StartupError(`A Temporal server of an earlier start (pid ${pid}) does not stop. End it first.`);
  await rm(pidFile, { force: true });
}
