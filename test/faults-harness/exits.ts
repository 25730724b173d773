/** How a process has ended. */
export interface Exit {
  /** Its exit code, or the signal that ended it. */
  by: number | string;
  /** The last that it wrote to stderr. */
  lastWords: string;
}

/** Exits that are as they should be, by what a process says last; each with exit code 1. */
const SAID: [reason: string, words: RegExp][] = [
  ['PostgreSQL was unavailable at the start', /^PostgreSQL at \S+ cannot be used \(.+\)\.$/],
  ['Temporal was unavailable at the start', /^Temporal at \S+ cannot be used \(.+\)\.$/],
  ['the database was not up to date', /^The database is not up to date\. Run "migrate" first\.$/],
  // A worker exits by itself when Temporal refuses it permanently; its supervisor starts another.
  ['the worker had failed', /^the worker has failed; ending$/],
  // Its port was free before, and what it was lent to in between has it no longer than a connection lasts.
  ['its port was taken', /^Port \d+ on \S+ is taken by another program\./],
];

/** The error, logged with its stack, of a start during which a server went away. */
const LOST_ON_THE_WAY =
  /^\w+: .*(Connection terminated|timeout exceeded|Query read timeout|ECONNRE|EPIPE|terminating connection|too many clients|the database system is|Failed to connect|tonic::transport|UNAVAILABLE|DEADLINE_EXCEEDED)/;

/** Why a process has ended, where that is as it should be while servers come and go; undefined where nothing excuses it. */
export function legitimateReason({ by, lastWords }: Exit): string | undefined {
  if (by === 'SIGKILL') return 'SIGKILL';
  if (by !== 1) return undefined;
  const said = lastWords
    .split('\n')
    .filter((line) => line.startsWith('corridor: ') && !line.startsWith('corridor: while stopping: '))
    .at(-1)
    ?.slice('corridor: '.length);
  if (said === undefined) return undefined;
  if (LOST_ON_THE_WAY.test(said)) return 'a server went away during the start';
  return SAID.find(([, words]) => words.test(said))?.[0];
}
