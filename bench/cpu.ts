import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';

/** The clock ticks per second of Linux on all supported machines. */
const TICKS_A_SECOND = 100;

interface Stat {
  name: string;
  parent: number;
  /** Seconds of CPU time of the process, and of its children that have ended. */
  own: number;
  ended: number;
}

const statOf = (pid: number) => cpuTimesIn(`/proc/${pid}`);

/** Reads a process or a thread from its folder in `/proc`; undefined if it does not exist. */
export function cpuTimesIn(folder: string): Stat | undefined {
  try {
    // The name is in parentheses and may contain spaces.
    const [, name = '', rest = ''] =
      /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`${folder}/stat`, 'utf8')) ?? [];
    const fields = rest.split(' ');
    const seconds = (...places: number[]) =>
      places.reduce((sum, place) => sum + Number(fields[place]), 0) / TICKS_A_SECOND;
    return { name, parent: Number(fields[1]), own: seconds(11, 12), ended: seconds(13, 14) };
  } catch (error) {
    if (HAS_ENDED.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
/** Before its file was opened, or after that. */
const HAS_ENDED = ['ENOENT', 'ESRCH'];

const pids = () => readdirSync('/proc').map(Number).filter(Boolean);

/** Seconds of CPU time that processes have used so far. */
export const cpuOf = (processes: number[]): number =>
  processes.reduce((sum, pid) => sum + (statOf(pid)?.own ?? 0), 0);

/** Seconds of CPU time that a process and all its children have used so far, including children that have ended. */
export function cpuWithChildren(pid: number): number {
  const { own = 0, ended = 0 } = statOf(pid) ?? {};
  return pids().reduce((sum, child) => {
    const stat = statOf(child);
    return stat?.parent === pid ? sum + stat.own + stat.ended : sum;
  }, own + ended);
}

/** The parent process of a PostgreSQL server. */
async function postgresPid(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const stat = rows[0] && statOf(rows[0].pid);
    if (!stat) throw new Error('PostgreSQL does not run on this machine');
    return stat.parent;
  } finally {
    await client.end();
  }
}

/** The development server process that listens at an address. */
function temporalPid(address: string): number {
  const port = address.split(':').at(-1);
  const found = pids().find((pid) => {
    const args = commandOf(pid);
    return args.includes('start-dev') && args[args.indexOf('--port') + 1] === port;
  });
  if (!found) throw new Error(`No Temporal server on this machine listens at ${address}`);
  return found;
}

function commandOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** The CPU time in milliseconds that the servers have used so far. */
export interface ServerCpu {
  temporal: number;
  postgres: number;
}

/** Finds the processes of the servers. The returned function reads what they have used. */
export async function createServerMeter({
  databaseUrl,
  temporalAddress,
}: {
  databaseUrl: string;
  temporalAddress: string;
}): Promise<() => ServerCpu> {
  const postgres = await postgresPid(databaseUrl);
  const temporal = temporalPid(temporalAddress);
  return () => ({ temporal: 1_000 * cpuOf([temporal]), postgres: 1_000 * cpuWithChildren(postgres) });
}

/** Seconds of CPU time that all descendants of a process have used, without those that have ended. */
export function cpuOfDescendants(of: number): number {
  const stats = new Map(pids().map((pid) => [pid, statOf(pid)]));
  const isDescendant = (pid: number): boolean => {
    const parent = stats.get(pid)?.parent;
    return parent !== undefined && (parent === of || isDescendant(parent));
  };
  return [...stats].reduce((sum, [pid, stat]) => (stat && isDescendant(pid) ? sum + stat.own : sum), 0);
}
