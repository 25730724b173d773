import { StartupError } from '../../process/startup-error.ts';

export const USAGE = `usage: node_modules/.bin/node src/main.ts [all | api | worker | migrate | restored]

  all       everything in one process; PostgreSQL and Temporal too, unless DATABASE_URL and TEMPORAL_ADDRESS are set
  api       the HTTP API
  worker    the order workflows and their activities
  migrate   brings the database and the Temporal namespace up to date, then ends
  restored  prepares a database that was restored from a backup, pauses payments and claims, then ends`;

const PARTS = ['all', 'api', 'worker', 'migrate', 'restored'] as const;
/** The part of Corridor that a process runs, or the task that it performs. */
export type Part = (typeof PARTS)[number];

export function partFrom(args: string[]): Part {
  const part = PARTS.find((name) => name === (args[0] ?? 'all'));
  if (!part || args.length > 1) throw new StartupError(USAGE);
  return part;
}

export const servesApi = (part: Part): boolean => part === 'all' || part === 'api';
export const runsWorker = (part: Part): boolean => part === 'all' || part === 'worker';
