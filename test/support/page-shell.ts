import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.ts';

/** A terminal that runs the blocks of a page in turn, like a reader who pastes them. */
export interface PageShell {
  /** Runs a block and returns what it prints; rejects if one of its commands fails. */
  run: (text: string) => Promise<string>;
  close: () => Promise<void>;
}

/** A program that keeps running in its own terminal. */
export interface Background {
  output: () => string;
  /** Ctrl-C. Resolves when the program and all its children have closed the terminal. */
  interrupt: () => Promise<void>;
}

interface Place {
  folder: string;
  env: Record<string, string>;
}

const DONE = '--- the block is done ---';

/** One bash for the whole page, so that later blocks have the variables and functions of earlier ones. */
export function openShell(place: Place): PageShell {
  const files = mkdtempSync(join(tmpdir(), 'corridor-page-'));
  const bash = startBash(['-e', '-o', 'pipefail', '-s'], place);
  let blocks = 0;
  return {
    run: async (text) => {
      const from = bash.output().length;
      const file = join(files, `block-${++blocks}.sh`);
      writeFileSync(file, text);
      bash.child.stdin?.write(`source ${file} </dev/null\necho '${DONE}'\n`);
      const shown = () => bash.output().slice(from);
      await eventually(async () => bash.hasEnded() || shown().includes(DONE), 120_000).catch((error) => {
        if (bash.child.pid !== undefined) process.kill(-bash.child.pid, 'SIGKILL');
        throw new Error(`the block hangs:\n${text}\n${shown()}`, { cause: error });
      });
      if (!shown().includes(DONE)) throw new Error(`the block failed:\n${text}\n${shown()}`);
      return shown().replace(DONE, '');
    },
    close: async () => {
      bash.child.stdin?.end();
      await bash.ended;
      rmSync(files, { recursive: true });
    },
  };
}

/** Starts a block and waits until it prints `until`. */
export async function startInBackground(text: string, until: string, place: Place): Promise<Background> {
  const bash = startBash(['-e', '-c', text], place);
  const { pid } = bash.child;
  const interrupt = async () => {
    if (pid !== undefined && !bash.hasEnded()) process.kill(-pid, 'SIGINT');
    await bash.ended;
  };
  await eventually(async () => bash.hasEnded() || bash.output().includes(until), 300_000);
  if (bash.output().includes(until)) return { output: bash.output, interrupt };
  await interrupt();
  throw new Error(`the block ended without printing "${until}":\n${text}\n${bash.output()}`);
}

/** Starts bash in its own process group, as a terminal does, so that Ctrl-C reaches all its children. */
function startBash(args: string[], { folder, env }: Place) {
  const child: ChildProcess = spawn('bash', args, { cwd: folder, env, detached: true });
  let output = '';
  let hasEnded = false;
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  // Writing to bash after its end fails. The caller reports that it has ended.
  child.stdin?.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => {
    child.on('close', () => {
      hasEnded = true;
      resolve();
    });
  });
  return { child, output: () => output, hasEnded: () => hasEnded, ended };
}
