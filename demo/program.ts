import { constants } from 'node:os';
import { styleText } from 'node:util';
import { StartupError } from '../src/embedded/free-port.ts';
import { createEnding, type Ending } from './ending.ts';
import type { Scene } from './stage.ts';

/** A terminal, and what has to be undone however the program ends. */
export interface Program extends Pick<Scene, 'tell' | 'show'> {
  ending: Ending;
}

/**
 * Runs a program for people to read. It ends with 1 and one line when it fails, `failed` before the reason unless that
 * speaks for itself; and when it is told to stop, as the signal says, with all undone.
 */
export async function perform(failed: string, work: (program: Program) => Promise<void>): Promise<void> {
  const complain = (line: string) => process.stderr.write(`${line}\n`);
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const ending = createEnding(complain);
  let interrupted = false;
  const leave = async (signal: NodeJS.Signals) => {
    interrupted = true;
    await ending.come();
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void leave(signal));
  // Nobody listens any more, as when a pager is closed.
  process.stdout.on('error', () => void leave('SIGPIPE'));

  try {
    await work({
      tell: (sentence) => say(`\n${styleText('bold', sentence)}`),
      show: (lines) => say(lines.replace(/^/gm, '  ')),
      ending,
    });
  } catch (error) {
    // What fails because everything is being stopped is no news.
    if (!interrupted) {
      complain(error instanceof StartupError ? error.message : `${failed}: ${(error as Error).message}`);
      process.exitCode = 1;
    }
  }
  await ending.come();
}
