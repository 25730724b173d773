import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { freePort } from '../src/process/free-port.ts';
import { lastLines } from '../src/service/embedded/run-command.ts';
import { type Config, loadConfig } from '../src/settings/config.ts';
import { isSetting } from '../src/settings/names.ts';
import type { Cleanup } from './cleanup.ts';

const PROJECT = fileURLToPath(new URL('../', import.meta.url));
const OUTPUT_LINES = 20;

export interface OwnCorridorOptions {
  settings: Record<string, string>;
  /** Receives a line for each step of the start. */
  progress: (line: string) => void;
  cleanup: Cleanup;
}

export interface OwnCorridor {
  config: Config;
  ended: Promise<unknown>;
}

/**
 * Starts a Corridor as `npm start` does, with its own data folder and without the settings of this terminal. Resolves
 * when it is ready. The cleanup stops it and removes the folder.
 */
export async function startOwnCorridor({
  settings,
  progress,
  cleanup,
}: OwnCorridorOptions): Promise<OwnCorridor> {
  const [port, uiPort] = [await freePort(), await freePort()];
  // Nothing is awaited from here to the last `add`, so that an interrupt cannot leave a folder or a process behind.
  const dataDir = mkdtempSync(join(tmpdir(), 'corridor-demo-'));
  cleanup.add(() => rm(dataDir, { recursive: true, force: true }));
  const nonSettings = Object.entries(process.env).filter(([name]) => !isSetting(name));
  const env = {
    ...Object.fromEntries(nonSettings),
    ...settings,
    DATA_DIR: dataDir,
    PORT: String(port),
    TEMPORAL_UI_PORT: String(uiPort),
    LOG_LEVEL: 'warn',
  };
  // Ctrl-C reaches the whole process group of a terminal. In its own group, only the cleanup stops this process.
  const corridor = spawn(process.execPath, ['src/main.ts', 'all'], {
    cwd: PROJECT,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => corridor.once('close', resolve));
  cleanup.add(async () => {
    corridor.kill('SIGTERM');
    await ended;
  });
  await waitUntilReady(corridor, progress);
  return { config: loadConfig(env), ended };
}

/** Resolves when Corridor reports that it is ready. Rejects with its last lines of output if it ends before that. */
function waitUntilReady(corridor: ChildProcess, progress: (line: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    const collect = (chunk: Buffer) => {
      output += chunk;
    };
    corridor.stdout?.on('data', collect);
    corridor.stderr?.on('data', collect);
    const lines = createInterface({ input: corridor.stderr as Readable });
    lines.on('line', (line) => {
      const step = line.replace(/^corridor: /, '');
      if (step === 'ready') resolve();
      else if (/^(starting|downloading|building) /.test(step)) progress(step);
    });
    corridor.once('error', reject);
    corridor.once('close', (code, signal) =>
      reject(
        new Error(
          `its own Corridor ended (${signal ?? code}). Its last output:\n${lastLines(output, OUTPUT_LINES)}`,
        ),
      ),
    );
  });
}
