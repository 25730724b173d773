import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { lastLines } from '../../src/service/embedded/run-command.ts';
import type { Guard } from './guard.ts';
import { attackPattern, type JestReport } from './judge.ts';
import type { ProjectCopy } from './project-copy.ts';

/** Runs Jest in a copy of the project, on servers of its own. One run at a time. */
export interface TestRunner {
  /** Runs the attacks on these guards. Throws if Jest twice writes no report within the limit. */
  run: (guards: readonly Guard[], limitMs: number) => Promise<JestReport>;
  /** Ends the present run, with its servers. */
  stop: () => Promise<void>;
}

/** Jest is killed if it does not stop the servers of the tests within this time. */
const STOP_LIMIT_MS = 20_000;

export function createTestRunner({
  folder,
  temporary,
}: Pick<ProjectCopy, 'folder' | 'temporary'>): TestRunner {
  let running: { jest: ChildProcess; ended: Promise<unknown> } | undefined;
  const output = join(temporary, 'report.json');

  /** Returns Jest's report, or the reason why there is none. On a very busy machine its servers may not start. */
  async function attempt(guards: readonly Guard[], limitMs: number): Promise<JestReport | string> {
    await rm(output, { force: true });
    const files = [...new Set(guards.map(({ attack }) => attack.file))];
    const pattern = attackPattern(guards.map(({ attack }) => attack.name)).source;
    const needServers = files.some((file) => !file.startsWith('test/unit/'));
    const jest = spawn(
      process.execPath,
      [
        ...['node_modules/jest/bin/jest.js', '--json', `--outputFile=${output}`, '-t', pattern],
        ...(needServers ? [] : ['--globalSetup=<rootDir>/test/guards/no-servers.ts']),
        ...['--runTestsByPath', ...files],
      ],
      {
        cwd: folder,
        // Ctrl-C in the terminal must not reach Jest, which would stop its servers twice.
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          ...process.env,
          TMPDIR: temporary,
          NO_COLOR: '1',
          FORCE_COLOR: '0',
          NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning',
        },
      },
    );
    const written: Buffer[] = [];
    for (const stream of [jest.stdout, jest.stderr]) stream.on('data', (chunk) => written.push(chunk));
    const ended = new Promise<'ended'>((resolve) => {
      jest.once('close', () => resolve('ended')).once('error', () => resolve('ended'));
    });
    running = { jest, ended };
    const timer = new AbortController();
    const late = delay(limitMs, 'late' as const, { signal: timer.signal }).catch(() => 'ended' as const);
    const how = await Promise.race([ended, late]);
    timer.abort();
    if (how === 'late') await stop();
    running = undefined;
    const report = how === 'ended' && (await readFile(output, 'utf8').catch(() => undefined));
    if (report) return JSON.parse(report);
    const why = how === 'late' ? `ran longer than ${limitMs / 1_000} s` : 'ended without a report';
    return `Jest ${why}:\n${lastLines(Buffer.concat(written).toString(), 20)}`;
  }

  async function stop(): Promise<void> {
    if (!running) return;
    const { jest, ended } = running;
    jest.kill('SIGTERM');
    const how = await Promise.race([ended, delay(STOP_LIMIT_MS, 'late' as const, { ref: false })]);
    // The process group includes Jest's workers.
    if (how === 'late' && jest.pid) process.kill(-jest.pid, 'SIGKILL');
    await ended;
    await stopLeftServers(temporary);
  }

  let stopped = false;
  return {
    stop: () => {
      stopped = true;
      return stop();
    },
    run: async (guards, limitMs) => {
      let report = await attempt(guards, limitMs);
      if (typeof report === 'string' && !stopped) report = await attempt(guards, limitMs);
      if (typeof report === 'string') throw new Error(stopped ? 'Interrupted' : report);
      return report;
    },
  };
}

/**
 * Stops the servers of a Jest process that was killed, or that ended before its servers had started. They run in their
 * own sessions, and their folders contain their process ids.
 */
async function stopLeftServers(temporary: string): Promise<void> {
  for (const name of await readdir(temporary)) {
    for (const file of ['postgres/postmaster.pid', 'temporal.sqlite.pid']) {
      const text = await readFile(join(temporary, name, file), 'utf8').catch(() => '');
      const pid = Number(text.split('\n')[0]);
      if (!(pid > 1)) continue;
      for (let waits = 0; waits < 100 && signalled(pid, waits === 0 ? 'SIGINT' : 0); waits++)
        await delay(100);
    }
  }
}

/** Sends the signal. Returns whether the process exists. On SIGINT, PostgreSQL performs a fast shutdown. */
function signalled(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
