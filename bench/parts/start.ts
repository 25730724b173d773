import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Ending } from '../../demo/ending.ts';
import { freePort } from '../../src/embedded/free-port.ts';
import { lastLines } from '../../src/embedded/run-command.ts';
import { isSetting } from '../../src/settings.ts';
import { bundleWorkflows, workflowBundle } from '../../src/workflow-bundle.ts';
import type { Surroundings } from './part.ts';

/** Seconds from the command to the line that says `ready`. */
export interface StartFigures {
  /** In a folder where nothing is: PostgreSQL's data are made, the schema, Temporal's store. */
  fresh: number;
  /** The same once more, on what is there. */
  again: number;
  /** What the first start after an installation or a change takes besides: the workflows' bundle. */
  bundle: number;
}

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

/** `npm start` as it is, with its servers and its data in a folder of its own, and none of this terminal's settings. */
export async function measureStart({ ending }: Surroundings): Promise<StartFigures> {
  // The program keeps its bundle beside its libraries: kept from now on, whoever ran it first.
  await workflowBundle();
  const folder = await mkdtemp(join(tmpdir(), 'corridor-start-'));
  ending.add(() => rm(folder, { recursive: true, force: true }));
  const start = () => startOnce(folder, ending);
  try {
    return { fresh: await start(), again: await start(), bundle: await secondsOf(bundleWorkflows) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Starts it, stops it, and gives the seconds that the start took. */
async function startOnce(dataDir: string, ending: Ending): Promise<number> {
  const foreign = Object.entries(process.env).filter(([name]) => !isSetting(name));
  const [port, uiPort] = [await freePort(), await freePort()];
  const began = performance.now();
  // A group of its own, so that npm and what it runs are told to stop together.
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
  ending.add(stop);
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
