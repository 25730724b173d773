import { type ChildProcess, spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lastLines } from '../src/service/embedded/run-command.ts';

const PROJECT = fileURLToPath(new URL('../', import.meta.url));
const READY_WITHIN_MS = 120_000;

export interface RunningProcess {
  pid: number;
  /** Sends a question to a program that answers (see `answering.ts`), one at a time. Rejects if the program ends first. */
  ask: <Answer>(question: unknown) => Promise<Answer>;
  stop: () => Promise<void>;
}

/** Runs a file of the project in a process of its own, and resolves when its output matches `ready`. */
export async function startProcess(
  args: string[],
  env: Record<string, string>,
  ready: RegExp,
): Promise<RunningProcess> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, args, {
    cwd: PROJECT,
    env: { PATH: `${dirname(process.execPath)}:${PATH}`, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let said = '';
  const listen = (chunk: Buffer) => {
    said = (said + chunk).slice(-20_000);
  };
  child.stdout?.on('data', listen);
  child.stderr?.on('data', listen);
  const named = (what: string) =>
    new Error(`${child.spawnargs.slice(1).join(' ')} ${what}:\n${lastLines(said, 20)}`);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  await untilReady(child, () => ready.test(said), named).catch(async (error) => {
    await stop();
    throw error;
  });
  return { pid: child.pid as number, ask: (question) => asked(child, question, named), stop };
}

/** An error with the name of the program and its last lines of output. */
type Named = (what: string) => Error;

function asked<Answer>(child: ChildProcess, question: unknown, named: Named): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const ended = () => done(() => reject(named('ended')));
    const answered = (answer: unknown) => done(() => resolve(answer as Answer));
    function done(settle: () => void) {
      child.off('message', answered).off('close', ended);
      settle();
    }
    child.once('message', answered).once('close', ended);
    child.send(question as object);
  });
}

function untilReady(child: ChildProcess, isReady: () => boolean, named: Named): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (isReady()) done(resolve);
    };
    const fail = (what: string) => done(() => reject(named(what)));
    const tooLong = setTimeout(() => fail(`was not ready within ${READY_WITHIN_MS} ms`), READY_WITHIN_MS);
    const ended = () => fail('ended');
    function done(settle: () => void) {
      clearTimeout(tooLong);
      child.stdout?.off('data', look);
      child.stderr?.off('data', look);
      child.off('close', ended);
      settle();
    }
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
    child.once('error', reject).once('close', ended);
  });
}
