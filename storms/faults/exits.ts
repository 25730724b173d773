/** How a process has ended. */
export interface Exit {
  /** Its exit code, or the signal that ended it. */
  by: number | string;
  /** The end of its stderr. */
  lastOutput: string;
}

/** Expected exits with exit code 1, by the last message of the process. */
const EXPECTED: [reason: string, message: RegExp][] = [
  [
    'PostgreSQL was unavailable at the start',
    /^PostgreSQL (of DATABASE_READER_URL )?at \S+ cannot be used \(.+\)\.$/,
  ],
  ['Temporal was unavailable at the start', /^Temporal at \S+ cannot be used \(.+\)\.$/],
  ['the database was not up to date', /^The database is not up to date\. Run "migrate" first\.$/],
  // A worker exits by itself when Temporal refuses it permanently; its supervisor starts another.
  ['the worker had failed', /^the worker has failed; ending$/],
  // Its port was free before, but a client connection may hold the port briefly.
  ['its port was taken', /^Port \d+ on \S+ is taken by another program\./],
];

/** The error of a start during which a server became unavailable. It is logged with its stack. */
const SERVER_LOST =
  /^\w+: .*(Connection terminated|timeout exceeded|Query read timeout|ECONNRE|EPIPE|terminating connection|too many clients|the database system is|Failed to connect|tonic::transport|UNAVAILABLE|DEADLINE_EXCEEDED)/;

/** Why a process has ended, if it is expected while servers come and go. Undefined: the exit is unexpected. */
export function expectedReason({ by, lastOutput }: Exit): string | undefined {
  if (by === 'SIGKILL') return 'SIGKILL';
  if (by !== 1) return undefined;
  const message = lastOutput
    .split('\n')
    .filter((line) => line.startsWith('corridor: ') && !line.startsWith('corridor: while stopping: '))
    .at(-1)
    ?.slice('corridor: '.length);
  if (message === undefined) return undefined;
  if (SERVER_LOST.test(message)) return 'a server became unavailable during the start';
  return EXPECTED.find(([, pattern]) => pattern.test(message))?.[0];
}
