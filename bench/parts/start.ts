import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Cleanup } from '../../dev/cleanup.ts';
import { freePort } from '../../src/process/free-port.ts';
import { lastLines } from '../../src/service/embedded/run-command.ts';
import { bundleWorkflows, workflowBundle } from '../../src/service/worker/bundle.ts';
import { isSetting } from '../../src/settings/names.ts';
import type { Surroundings } from './part.ts';

/** Seconds from the command to the line `ready`. */
export interface StartFigures {
  /** In an empty folder: the start creates PostgreSQL's data, the schema and Temporal's store. */
  fresh: number;
  /** A second start on the data of the first. */
  again: number;
  /** Building the workflow bundle, which the first start after an installation or a change does as well. */
  bundle: number;
}

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

/** Runs `npm start` with its servers and data in a new folder, without the settings of this terminal. */
export async function measureStart({ cleanup }: Surroundings): Promise<StartFigures> {
  // Builds the bundle, which the program caches beside its libraries, before the first start.
  await workflowBundle();
  const folder = await mkdtemp(join(tmpdir(), 'corridor-start-'));
  cleanup.add(() => rm(folder, { recursive: true, force: true }));
  const start = () => startOnce(folder, cleanup);
  try {
    return { fresh: await start(), again: await start(), bundle: await secondsOf(bundleWorkflows) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Starts and stops it. Returns the seconds that the start took. */
async function startOnce(dataDir: string, cleanup: Cleanup): Promise<number> {
  const foreign = Object.entries(process.env).filter(([name]) => !isSetting(name));
  const [port, uiPort] = [await freePort(), await freePort()];
  const began = performance.now();
  // In its own process group, npm and its children receive the signal together.
  const npm = spawn('npm', ['start'], {
    cwd: PROJECT,
    env: {
      ...Object.fromEntries(foreign),
      DATA_DIR: dataDir,
      PORT: String(port),
      TEMPORAL_UI_PORT: String(uiPort),
    },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => npm.once('close', () => resolve()));
  const stop = async () => {
    if (npm.pid !== undefined && npm.exitCode === null && npm.signalCode === null)
      process.kill(-npm.pid, 'SIGTERM');
    await ended;
  };
  cleanup.add(stop);
  try {
    await untilReady(npm);
    return (performance.now() - began) / 1_000;
  } finally {
    await stop();
  }
}

function untilReady(npm: ChildProcess): Promise<void> {
  let said = '';
  return new Promise((resolve, reject) => {
    npm.stdout?.resume();
    createInterface({ input: npm.stderr as Readable }).on('line', (line) => {
      said += `${line}\n`;
      if (line === 'corridor: ready') resolve();
    });
    npm.once('error', reject);
    npm.once('close', () => reject(new Error(`npm start ended:\n${lastLines(said, 20)}`)));
  });
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1_000;
}
