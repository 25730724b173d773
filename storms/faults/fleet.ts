import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Finding } from '../../src/operations/diagnosis/finding.ts';
import { type Exit, expectedReason } from './exits.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const RESTART_AFTER_MS = 500;
/** The number of characters of stderr to keep, because they show why a process ended. */
const LAST_OUTPUT_LENGTH = 8_000;

const inOneLine = (text: string) => text.trim().replaceAll(/\s*\n\s*/g, ' | ');

/** A process of Corridor that is restarted whenever it ends, as by a supervisor. */
export interface Member {
  name: string;
  part: 'api' | 'worker';
  signal: (signal: NodeJS.Signals) => void;
  /** The pid of the present process. */
  pid: () => number | undefined;
  /** Resolves when the present process has ended. */
  gone: () => Promise<void>;
  /** Sets the crash points of the following processes. Without any, they never crash by themselves. */
  arm: (crashPoints: string) => void;
  /** The number of crashes by crash point. */
  crashes: ReadonlyMap<string, number>;
  /** The number of exits by reason. */
  exits: ReadonlyMap<string, number>;
  /** Exits that no fault explains. */
  badExits: readonly Finding[];
  stop: () => Promise<void>;
}

export interface MemberOptions {
  name: string;
  part: Member['part'];
  env: Record<string, string>;
  crashPoints: string;
  /** A further crash point until the first crash, so that at least one crash is certain. */
  certainCrash?: string | undefined;
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
  let certainCrash = options.certainCrash ?? '';
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
      certainCrash = '';
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
      const exit = await runProcess();
      const at = new Date().toISOString();
      log.write(`--- ${at} ${name} ended with ${exit.by}\n`);
      note(exit, at);
      // An abort only ends the wait.
      await delay(RESTART_AFTER_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  function note(exit: Exit, at: string): void {
    const reason = expectedReason(exit);
    const counted = reason ?? `unexpected exit ${exit.by}`;
    exits.set(counted, (exits.get(counted) ?? 0) + 1);
    if (reason !== undefined) return;
    badExits.push({
      ...{ what: 'a process ends only if it is killed or cannot start', where: `${name} at ${at}` },
      ...{
        expected: 'SIGKILL or an expected reason',
        found: `${exit.by} after: ${inOneLine(exit.lastOutput.slice(-600))}`,
      },
    });
  }

  function runProcess(): Promise<Exit> {
    return new Promise((resolve, reject) => {
      const started = spawn(process.execPath, ['src/main.ts', part], {
        cwd: PROJECT,
        // If a point is named twice, the last one counts.
        env: {
          PATH,
          HOME,
          ...env,
          CRASH_POINTS: crashes.size > 0 ? armedWith : `${armedWith},${certainCrash}`,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child = started;
      let lastOutput = '';
      started.stdout.on('data', (chunk) => log.write(chunk));
      started.stderr.on('data', (chunk) => {
        log.write(chunk);
        lastOutput = (lastOutput + chunk).slice(-LAST_OUTPUT_LENGTH);
        const point = /crash point (\S+)/.exec(String(chunk))?.[1];
        if (point) crashes.set(point, (crashes.get(point) ?? 0) + 1);
      });
      started.once('error', reject);
      started.once('close', (code, signal) => resolve({ by: signal ?? code ?? 'nothing', lastOutput }));
    });
  }
}
