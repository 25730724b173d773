import { constants } from 'node:os';
import { styleText } from 'node:util';
import { StartupError } from '../src/process/startup-error.ts';
import { type Cleanup, createCleanup } from './cleanup.ts';
import type { Context } from './context.ts';

/** The terminal output of a program, and its cleanup. */
export interface Program extends Pick<Context, 'narrate' | 'print'> {
  cleanup: Cleanup;
}

/**
 * Runs a program that prints to a terminal, and always runs its cleanup. A failure prints one line and exits with 1.
 * The line is the reason, with `failed` before it unless it is a `StartupError`. A signal exits with 128 + its number.
 */
export async function runProgram(failed: string, work: (program: Program) => Promise<void>): Promise<void> {
  const printError = (line: string) => process.stderr.write(`${line}\n`);
  const printLine = (line: string) => process.stdout.write(`${line}\n`);
  const cleanup = createCleanup(printError);
  let interrupted = false;
  const exit = async (signal: NodeJS.Signals) => {
    interrupted = true;
    await cleanup.run();
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void exit(signal));
  // The reader of a pipe has closed it, as a pager does.
  process.stdout.on('error', () => void exit('SIGPIPE'));

  try {
    await work({
      narrate: (sentence) => printLine(`\n${styleText('bold', sentence)}`),
      print: (lines) => printLine(lines.replace(/^/gm, '  ')),
      cleanup,
    });
  } catch (error) {
    // After an interrupt, calls fail because the cleanup stops their servers.
    if (!interrupted) {
      printError(error instanceof StartupError ? error.message : `${failed}: ${(error as Error).message}`);
      process.exitCode = 1;
    }
  }
  await cleanup.run();
}
