import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Config, loadConfig } from '../src/config.ts';
import { freePort } from '../src/embedded/free-port.ts';
import { lastLines } from '../src/embedded/run-command.ts';
import { isSetting } from '../src/settings.ts';
import type { Ending } from './ending.ts';

const PROJECT = fileURLToPath(new URL('../', import.meta.url));
const SAID_LINES = 20;

export interface OwnCorridorOptions {
  settings: Record<string, string>;
  /** Told what it does while it starts. */
  progress: (line: string) => void;
  ending: Ending;
}

export interface OwnCorridor {
  config: Config;
  ended: Promise<unknown>;
}

/**
 * Starts a Corridor for one story, as `npm start` does, with its data in a folder of its own and nothing of this
 * terminal's settings. Resolves when it is ready. At the end it is stopped and the folder removed.
 */
export async function startOwnCorridor({
  settings,
  progress,
  ending,
}: OwnCorridorOptions): Promise<OwnCorridor> {
  const [port, uiPort] = [await freePort(), await freePort()];
  // From here to the last `add` nothing is awaited, so that no end comes between.
  const dataDir = mkdtempSync(join(tmpdir(), 'corridor-demo-'));
  ending.add(() => rm(dataDir, { recursive: true, force: true }));
  const foreign = Object.entries(process.env).filter(([name]) => !isSetting(name));
  const env = {
    ...Object.fromEntries(foreign),
    ...settings,
    DATA_DIR: dataDir,
    PORT: String(port),
    TEMPORAL_UI_PORT: String(uiPort),
    LOG_LEVEL: 'warn',
  };
  // Ctrl-C reaches a terminal's whole process group; a group of its own lets the ending alone stop it.
  const corridor = spawn(process.execPath, ['src/main.ts', 'all'], {
    cwd: PROJECT,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => corridor.once('close', resolve));
  ending.add(async () => {
    corridor.kill('SIGTERM');
    await ended;
  });
  await ready(corridor, progress);
  return { config: loadConfig(env), ended };
}

/** Resolves when it says that it is ready; when it ends before, rejects with its last words. */
function ready(corridor: ChildProcess, progress: (line: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    const listen = (chunk: Buffer) => {
      said += chunk;
    };
    corridor.stdout?.on('data', listen);
    corridor.stderr?.on('data', listen);
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
          `the Corridor of this story ended (${signal ?? code}); its last words:\n${lastLines(said, SAID_LINES)}`,
        ),
      ),
    );
  });
}
