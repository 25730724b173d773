import type { Readable } from 'node:stream';
import { type Command, InvalidArgumentError } from 'commander';
import { type AdminCall, connect, connectDownload } from './connection.ts';
import type { Terminal } from './terminal.ts';

/** The dependencies of each command. */
export interface Cli {
  call: AdminCall;
  /** Reads a file of the API as it arrives. */
  download: (path: string) => Promise<Readable>;
  /** Prints an answer: JSON with `--json`, else text for people. */
  show: <Answer>(answer: Answer, forPeople: (answer: Answer) => string) => void;
  env: NodeJS.ProcessEnv;
  terminal: Terminal;
  /** What the program exits with. A command sets it when it has done its work and found something wrong. */
  exitCode: number;
}

/** Connects at the first call, because the options are known only when a command runs. */
export function createCli(program: Command, env: NodeJS.ProcessEnv, terminal: Terminal): Cli {
  return {
    call: async (...request) => (await connect(program.opts(), env))(...request),
    download: async (path) => (await connectDownload(program.opts(), env))(path),
    show: (answer, forPeople) => {
      const text = program.opts().json ? JSON.stringify(answer, null, 2) : forPeople(answer);
      terminal.out.write(`${text}\n`);
    },
    env,
    terminal,
    exitCode: 0,
  };
}

export function idArgument(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('An id is a positive whole number.');
  return Number(text);
}

/** A number as an argument. The API checks its bounds. */
export function numberArgument(text: string): number {
  const number = Number(text);
  if (!text.trim() || Number.isNaN(number)) throw new InvalidArgumentError('Write a number.');
  return number;
}

/** A limit as an option; `none` removes it. (Not null, which commander would turn into an empty text.) */
export type Limit = number | 'none';
export const limitOption = (text: string): Limit => (text === 'none' ? text : numberArgument(text));

export interface PageOptions {
  limit?: string;
  cursor?: string;
}

export const withPages = (command: Command): Command =>
  command
    .option('--limit <n>', 'how many, at most 100 (default: 20)')
    .option('--cursor <cursor>', 'continue after the page that showed this cursor');

/** The path with the query fields that have a value. */
export function pathWith(path: string, query: Record<string, string | undefined>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, value);
  return given.size > 0 ? `${path}?${given}` : path;
}

/** A page's rows for people, with the cursor of the next page. */
export const paged = (rows: string, nextCursor: string | null): string =>
  nextCursor === null ? rows : `${rows}\n\nMore: repeat with --cursor ${nextCursor}`;
