import { createInterface } from 'node:readline/promises';
import { CliError } from './connection.ts';

/** Where a command prints, and whom it can ask. */
export interface Terminal {
  out: NodeJS.WritableStream;
  err: NodeJS.WritableStream & { isTTY?: boolean };
  /** Resolves to what a person has typed. Undefined where no person can be asked, as in a script. */
  ask: ((question: string) => Promise<string>) | undefined;
}

/** The terminal of this process. A question is on stderr, so that stdout has the result alone. */
export const processTerminal = (): Terminal => ({
  out: process.stdout,
  err: process.stderr,
  ask: process.stdin.isTTY ? askHere : undefined,
});

async function askHere(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}

/** Asks whether to continue. Where no person can be asked, throws a CliError: a script says `--yes`. */
export async function confirmed({ ask }: Terminal, question: string): Promise<boolean> {
  if (!ask) throw new CliError(`${question} There is no terminal to ask on: add --yes.`);
  return /^y(es)?$/i.test((await ask(`${question} [y/N] `)).trim());
}
