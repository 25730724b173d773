import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const START_AGAIN_AFTER_MS = 500;

/** A process of Corridor that is started again whenever it has ended, as whoever runs it would. */
export interface Member {
  name: string;
  part: 'api' | 'worker';
  signal: (signal: NodeJS.Signals) => void;
  /** Of its process; the next one has another. */
  pid: () => number | undefined;
  /** Resolves when the process that runs now has ended. */
  gone: () => Promise<void>;
  /** From now on it is started with these crash points; with none it ends no more by itself. */
  arm: (crashPoints: string) => void;
  /** How often it has died at each of its crash points. */
  crashes: ReadonlyMap<string, number>;
  stop: () => Promise<void>;
}

export interface MemberOptions {
  name: string;
  part: Member['part'];
  env: Record<string, string>;
  crashPoints: string;
  logFile: string;
}

export function startMember({ name, part, env, crashPoints, logFile }: MemberOptions): Member {
  const { PATH = '', HOME = '' } = process.env;
  const log = createWriteStream(logFile, { flags: 'a' });
  const crashes = new Map<string, number>();
  const stopping = new AbortController();
  let armedWith = crashPoints;
  let child: ChildProcess | undefined;
  const watching = watch();

  return {
    name,
    part,
    crashes,
    signal: (signal) => child?.kill(signal),
    pid: () => child?.pid,
    gone: () => new Promise((resolve) => child?.once('exit', () => resolve())),
    arm: (points) => {
      armedWith = points;
    },
    stop: async () => {
      stopping.abort();
      child?.kill('SIGKILL');
      await watching;
      log.end();
    },
  };

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      log.write(`--- ${new Date().toISOString()} ${name} ended with ${await life()}\n`);
      // Aborted: the wait is over, which is all that matters.
      await delay(START_AGAIN_AFTER_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  function life(): Promise<string> {
    return new Promise((resolve, reject) => {
      const started = spawn(process.execPath, ['src/main.ts', part], {
        cwd: PROJECT,
        env: { PATH, HOME, ...env, CRASH_POINTS: armedWith },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child = started;
      started.stdout.on('data', (chunk) => log.write(chunk));
      started.stderr.on('data', (chunk) => {
        log.write(chunk);
        const point = /crash point (\S+)/.exec(String(chunk))?.[1];
        if (point) crashes.set(point, (crashes.get(point) ?? 0) + 1);
      });
      started.once('error', reject);
      started.once('close', (code, signal) => resolve(String(signal ?? code)));
    });
  }
}
