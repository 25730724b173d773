import { createInterface } from 'node:readline/promises';
import { CliError } from './connection.ts';

/** Asks a person on the terminal. Without a terminal, throws a CliError: a script says `--yes`. */
export async function confirmed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new CliError(`${question} There is no terminal to ask on: add --yes.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
