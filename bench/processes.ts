import { type ChildProcess, spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lastLines } from '../src/embedded/run-command.ts';

const PROJECT = fileURLToPath(new URL('../', import.meta.url));
const READY_WITHIN_MS = 120_000;

export interface RunningProcess {
  /** Asks a program that answers (see `answering.ts`), one question at a time. Rejects when it ends instead. */
  ask: <Answer>(question: unknown) => Promise<Answer>;
  stop: () => Promise<void>;
}

/** Runs a file of the project in a process of its own, and resolves when a line of it says that it is ready. */
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
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  await untilReady(child, ready).catch(async (error) => {
    await stop();
    throw error;
  });
  return { ask: (question) => asked(child, question), stop };
}

function asked<Answer>(child: ChildProcess, question: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const ended = () => done(() => reject(new Error(`${child.spawnargs.slice(1).join(' ')} ended`)));
    const answered = (answer: unknown) => done(() => resolve(answer as Answer));
    function done(settle: () => void) {
      child.off('message', answered).off('close', ended);
      settle();
    }
    child.once('message', answered).once('close', ended);
    child.send(question as object);
  });
}

function untilReady(child: ChildProcess, ready: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    const listen = (chunk: Buffer) => {
      said = (said + chunk).slice(-20_000);
      if (ready.test(said)) done(resolve);
    };
    const fail = (why: string) =>
      done(() => reject(new Error(`${child.spawnargs.slice(1).join(' ')} ${why}:\n${lastLines(said, 20)}`)));
    const tooLong = setTimeout(() => fail(`was not ready within ${READY_WITHIN_MS} ms`), READY_WITHIN_MS);
    const ended = () => fail('ended');
    function done(settle: () => void) {
      clearTimeout(tooLong);
      child.off('close', ended);
      settle();
    }
    child.stdout?.on('data', listen);
    child.stderr?.on('data', listen);
    child.once('error', reject).once('close', ended);
  });
}
