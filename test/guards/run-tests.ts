import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { lastLines } from '../../src/service/embedded/run-command.ts';
import { MUTANT } from '../support/environment.ts';
import { disable, type Guard } from './guard.ts';
import { attackPattern, type JestReport } from './judge.ts';
import type { Mutant } from './serve-mutant.ts';

/** Runs attacks with Jest, on servers that run already. */
export interface TestRunner {
  /** With every guard in place. */
  intact: (attacks: Attacks) => Promise<JestReport>;
  without: (guard: Guard, attacks: Attacks) => Promise<JestReport>;
  /** Kills what runs. */
  stop: () => void;
}

/** Tests of one file, by parts of their names. */
export interface Attacks {
  file: string;
  names: readonly string[];
}

/** The time limit for Jest. */
const LIMIT_MS = 6 * 60_000;

/** `temporary`: a folder for its files. `adminUrl`: of the database server, if it serves nobody else. */
export function createTestRunner(temporary: string, adminUrl?: string): TestRunner {
  const running = new Set<ChildProcess>();
  const databases = adminUrl === undefined ? undefined : trackDatabases(adminUrl);

  /** Returns Jest's report. If Jest writes none within the limit, the report contains the reason. */
  async function attempt(attacks: Attacks, disabled?: Guard): Promise<JestReport> {
    const folder = await mkdtemp(join(temporary, 'run-'));
    // If root runs the tests, the user of a PostgreSQL that a test starts must enter this folder.
    await chmod(folder, 0o711);
    const output = join(folder, 'report.json');
    const jest = spawn(
      process.execPath,
      [
        ...[
          'node_modules/jest/bin/jest.js',
          '--json',
          `--outputFile=${output}`,
          '--runInBand',
          '--forceExit',
        ],
        ...[`--cacheDirectory=${join(temporary, 'jest-cache')}`, '--watchman=false'],
        ...['--globalSetup=<rootDir>/test/guards/attack-setup.ts'],
        ...['-t', attackPattern(attacks.names).source, '--runTestsByPath', attacks.file],
      ],
      {
        // Its own group, so that nothing of it outlives it.
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          ...process.env,
          TMPDIR: folder,
          NO_COLOR: '1',
          FORCE_COLOR: '0',
          ...environmentOf(disabled, join(folder, 'mutant')),
        },
      },
    );
    running.add(jest);
    const written: Buffer[] = [];
    for (const stream of [jest.stdout, jest.stderr]) stream.on('data', (chunk) => written.push(chunk));
    const timer = new AbortController();
    const how = await Promise.race([
      new Promise<'ended'>((done) =>
        jest.once('close', () => done('ended')).once('error', () => done('ended')),
      ),
      delay(LIMIT_MS, 'late' as const, { signal: timer.signal }).catch(() => 'ended' as const),
    ]);
    timer.abort();
    if (how === 'late') killGroup(jest);
    running.delete(jest);
    if (how === 'late') await stopLeftServers(folder);
    const report = how === 'ended' && (await readFile(output, 'utf8').catch(() => undefined));
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    if (report) return JSON.parse(report);
    const why = how === 'late' ? `ran longer than ${LIMIT_MS / 1_000} s` : 'ended without a report';
    const message = `Jest ${why}: ${lastLines(Buffer.concat(written).toString(), 20)}`;
    return { testResults: [{ name: `/${attacks.file}`, message, assertionResults: [] }] };
  }

  let stopped = false;
  async function run(...of: Parameters<typeof attempt>): Promise<JestReport> {
    const dropDatabases = await databases?.();
    const report = await attempt(...of);
    if (stopped) throw new Error('Interrupted');
    await dropDatabases?.();
    return report;
  }

  return {
    intact: run,
    without: (guard, attacks) => run(attacks, guard),
    stop: () => {
      stopped = true;
      for (const jest of running) killGroup(jest);
    },
  };
}

/** The variables of processes without this guard. Its file without it is written to `copy`. */
function environmentOf(guard: Guard | undefined, copy: string): Record<string, string> {
  if (!guard) return {};
  const file = resolve(guard.file);
  writeFileSync(copy, disable(guard, readFileSync(file, 'utf8')));
  return {
    [MUTANT]: JSON.stringify({ file, copy } satisfies Mutant),
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${new URL('serve-mutant.ts', import.meta.url)}`,
  };
}

/**
 * Called at the start of a run, returns the call for its end, which drops the databases of the tests that no present run can
 * have made: those that are older than every present run. Thousands would fill the disk.
 */
function trackDatabases(adminUrl: string): () => Promise<() => Promise<void>> {
  const present = new Set<{ newest: number }>();
  const query = async (text: string, values: unknown[] = []) => {
    const client = new pg.Client({ connectionString: adminUrl });
    await client.connect();
    return client.query(text, values).finally(() => client.end());
  };
  return async () => {
    const { rows } = await query('select max(oid)::int8::float8 as newest from pg_database');
    const run: { newest: number } = rows[0];
    present.add(run);
    return async () => {
      present.delete(run);
      const oldest = Math.min(...[...present].map(({ newest }) => newest), 2 ** 32);
      const { rows: old } = await query(
        String.raw`select datname as name from pg_database where datname like 'test\_%' and oid::int8 <= $1`,
        [oldest],
      );
      for (const { name } of old) await query(`drop database if exists ${name} with (force)`);
    };
  };
}

/** Kills a run with the programs that its tests have started. */
function killGroup({ pid }: ChildProcess): void {
  if (pid) signalled(-pid, 'SIGKILL');
}

/** Stops the servers that the tests of a killed run had started. They have sessions of their own, and their folders contain their process ids. */
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
