import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Finding } from '../../src/diagnosis/finding.ts';
import { type Exit, legitimateReason } from './exits.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const START_AGAIN_AFTER_MS = 500;
/** Characters of stderr to keep as the reason why a process ended. */
const LAST_WORDS = 8_000;

const inOneLine = (text: string) => text.trim().replaceAll(/\s*\n\s*/g, ' | ');

/** A process of Corridor that is restarted whenever it ends, as a supervisor would do. */
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
  /** How often it has ended, and why. */
  exits: ReadonlyMap<string, number>;
  /** Ends that nothing excuses. */
  badExits: readonly Finding[];
  stop: () => Promise<void>;
}

export interface MemberOptions {
  name: string;
  part: Member['part'];
  env: Record<string, string>;
  crashPoints: string;
  /** Besides, until it has died at a crash point: so that one death is no matter of chance. */
  sureToDieAt?: string | undefined;
  logFile: string;
}

export function startMember(options: MemberOptions): Member {
  const { name, part, env, crashPoints, logFile } = options;
  const { PATH = '', HOME = '' } = process.env;
  const log = createWriteStream(logFile, { flags: 'a' });
  const crashes = new Map<string, number>();
  const exits = new Map<string, number>();
  const badExits: Finding[] = [];
  const stopping = new AbortController();
  let armedWith = crashPoints;
  let sure = options.sureToDieAt ?? '';
  let child: ChildProcess | undefined;
  const watching = watch();

  return {
    name,
    part,
    ...{ crashes, exits, badExits },
    signal: (signal) => child?.kill(signal),
    pid: () => child?.pid,
    gone: () => new Promise((resolve) => child?.once('exit', () => resolve())),
    arm: (points) => {
      armedWith = points;
      sure = '';
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
      const exit = await lifecycle();
      const at = new Date().toISOString();
      log.write(`--- ${at} ${name} ended with ${exit.by}\n`);
      note(exit, at);
      // Aborted: the wait is over, which is all that matters.
      await delay(START_AGAIN_AFTER_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  function note(exit: Exit, at: string): void {
    const reason = legitimateReason(exit);
    const counted = reason ?? `exit ${exit.by} for no good reason`;
    exits.set(counted, (exits.get(counted) ?? 0) + 1);
    if (reason !== undefined) return;
    badExits.push({
      ...{ what: 'a process ends when it is killed, or cannot start', where: `${name} at ${at}` },
      ...{
        expected: 'SIGKILL, or a reason',
        found: `${exit.by} after: ${inOneLine(exit.lastWords.slice(-600))}`,
      },
    });
  }

  function lifecycle(): Promise<Exit> {
    return new Promise((resolve, reject) => {
      const started = spawn(process.execPath, ['src/main.ts', part], {
        cwd: PROJECT,
        // The later counts where a point is named twice.
        env: { PATH, HOME, ...env, CRASH_POINTS: crashes.size > 0 ? armedWith : `${armedWith},${sure}` },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child = started;
      let lastWords = '';
      started.stdout.on('data', (chunk) => log.write(chunk));
      started.stderr.on('data', (chunk) => {
        log.write(chunk);
        lastWords = (lastWords + chunk).slice(-LAST_WORDS);
        const point = /crash point (\S+)/.exec(String(chunk))?.[1];
        if (point) crashes.set(point, (crashes.get(point) ?? 0) + 1);
      });
      started.once('error', reject);
      started.once('close', (code, signal) => resolve({ by: signal ?? code ?? 'nothing', lastWords }));
    });
  }
}
