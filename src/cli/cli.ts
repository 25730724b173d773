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

/** The options of a list in pages. */
export const PAGES = {
  '--limit <n>': 'how many, at most 100 (default: 20)',
  '--cursor <cursor>': 'continue after the page that showed this cursor',
};

/** The path with the query fields that have a value. */
export function pathWith(path: string, query: object): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return given.size > 0 ? `${path}?${given}` : path;
}

/** Prints a page: the rows of its list `name`, with the cursor of the next page. */
export const page =
  <Name extends string, Row>(name: Name, rows: (rows: Row[]) => string) =>
  (answer: Record<Name, Row[]> & { next_cursor: string | null }): string =>
    answer.next_cursor === null
      ? rows(answer[name])
      : `${rows(answer[name])}\n\nMore: repeat with --cursor ${answer.next_cursor}`;

/** The option of a command that needs no API. */
export const DATABASE = {
  '--database-url <url>': 'the database (default: DATABASE_URL, or that of the Corridor in DATA_DIR)',
};
