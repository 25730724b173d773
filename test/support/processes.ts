import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMMAND_SECRET, MUTANT, testEnvironment } from './environment.ts';
import { inTime } from './in-time.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/corridor-tests', import.meta.url));

/** A program of this project in its own process. */
export interface TestProcess {
  pid: number;
  /** Its output so far. */
  stdout: () => string;
  stderr: () => string;
  /** Resolves when `text` is on stderr. Rejects when the process ends first, or after two minutes. */
  prints: (text: string) => Promise<void>;
  kill: (signal: NodeJS.Signals) => void;
  /** Its exit code, or the signal that ended it. */
  ended: Promise<number | string | null>;
  /** Like `ended`, but rejects with the output if the process still runs after two minutes. */
  ends: () => Promise<number | string | null>;
}

const TIMEOUT_MS = 120_000;

/** If this process runs without a guard, so do those that it starts. */
const { [MUTANT]: mutant, NODE_OPTIONS = '' } = process.env;
const WITHOUT_GUARD: Record<string, string> = mutant ? { [MUTANT]: mutant, NODE_OPTIONS } : {};

/** Runs a TypeScript file of the project with the tests' Node. It inherits only PATH and HOME. */
export const run = (file: string, args: string[], env: Record<string, string>): TestProcess =>
  runProgram(process.execPath, [file, ...args], env);

/** Runs a script of `package.json`. `kill` and `ended` are those of npm. */
export const runScript = (script: string, env: Record<string, string>): TestProcess =>
  runProgram('npm', ['run', script], { ...env, npm_config_update_notifier: 'false' });

function runProgram(program: string, args: string[], env: Record<string, string>): TestProcess {
  const what = args.join(' ');
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(program, args, {
    cwd: PROJECT,
    env: {
      PATH: `${dirname(testEnvironment().temporalBinary)}:${PATH}`,
      HOME,
      // Many processes load the same files.
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      COMMAND_SECRET,
      ...WITHOUT_GUARD,
      // A start opens all connections, and costs 10 ms for each.
      DATABASE_POOL_SIZE: '8',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  const listeners = new Set<() => void>();
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
    for (const listener of listeners) listener();
  });
  const ended = new Promise<number | string | null>((resolve) => {
    child.on('close', (code, signal) => {
      resolve(signal ?? code);
      for (const listener of listeners) listener();
    });
  });
  const bounded = <T>(work: Promise<T>, failure: string): Promise<T> =>
    inTime(work, TIMEOUT_MS, () => `${what} ${failure} within ${TIMEOUT_MS} ms:\n${stderr}${stdout}`);
  const printed = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const check = () => {
        if (stderr.includes(text)) resolve();
        else if (child.exitCode !== null || child.signalCode !== null)
          reject(new Error(`the process ended:\n${stderr}${stdout}`));
        else return;
        listeners.delete(check);
      };
      listeners.add(check);
      check();
    });
  if (child.pid === undefined) throw new Error(`${what} could not be started`);
  return {
    pid: child.pid,
    stdout: () => stdout,
    stderr: () => stderr,
    prints: (text) => bounded(printed(text), `did not print “${text}”`),
    kill: (signal) => child.kill(signal),
    ended,
    ends: () => bounded(ended, 'did not end'),
  };
}
