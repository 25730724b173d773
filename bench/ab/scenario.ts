import type { Cleanup } from '../../dev/cleanup.ts';
import { type Callers, createCallers } from '../../dev/http-client.ts';
import { startOwnCorridor } from '../../dev/own-corridor.ts';
import { migrate } from '../../src/db/migrate.ts';
import { type Database, openDatabase } from '../../src/db/orm.ts';
import { loadSecrets } from '../../src/settings/secrets.ts';
import { NO_RATE_LIMITS } from '../../test/support/no-rate-limits.ts';
import { newDatabase, startOwnPostgres } from '../databases.ts';
import { percentile } from '../figures.ts';

/** What one alternative measured in one round, by the name of the figure with its unit. */
export type Figures = Record<string, number>;

export interface Given {
  say: (line: string) => void;
  cleanup: Cleanup;
  /** A size of the scenario, or what `--size NAME=N` set. */
  size: (name: string) => number;
  /** The folder of `--with`. */
  other: string | undefined;
}

/** One question, answered by rounds in which the alternatives take turns. */
export interface Scenario {
  question: string;
  /** The sizes that `--size` changes. */
  sizes: Record<string, number>;
  rounds: number;
  /** The first round makes plans and warms up, and does not count. */
  warms: boolean;
  /** Starts what the question needs. Returns the alternatives by name. The others are compared with the first. */
  start: (given: Given) => Promise<Record<string, () => Promise<Figures>>>;
  /** The median ratio of every figure to the first alternative's must be at most this. */
  atMost?: number;
}

/** Without rate limits, and with receivers of webhooks on this machine. */
export const UNLIMITED = { ...NO_RATE_LIMITS, WEBHOOK_ALLOW_PRIVATE: 'true' };

/** Starts a Corridor of its own, and returns its callers and its port. */
export async function ownCorridor(
  { say, cleanup }: Given,
  settings: Record<string, string> = UNLIMITED,
): Promise<{ corridor: Callers; port: number }> {
  const { config } = await startOwnCorridor({ settings, progress: say, cleanup });
  const { adminApiKey } = await loadSecrets(config);
  return { corridor: createCallers(config.publicUrl, adminApiKey), port: config.port };
}

/** Starts a PostgreSQL of its own, and returns the URL of a database with the schema. */
export async function ownDatabase({ cleanup }: Given): Promise<string> {
  const url = await newDatabase(await startOwnPostgres(cleanup));
  await migrate({ url, debug: () => undefined });
  return url;
}

/** Opens the database with the service's code. */
export async function openOwn(
  url: string,
  { cleanup }: Given,
  options: { poolSize?: number; queryTimeoutMs?: number } = {},
): Promise<Database> {
  const db = await openDatabase({ url, debug: () => undefined, ...options });
  cleanup.add(db.close);
  return db;
}

/** The milliseconds that the work takes. */
export async function ms(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** The milliseconds of each of the calls, one after the other. */
export async function msOfEach(calls: number, call: (n: number) => Promise<unknown>): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < calls; n++) took.push(await ms(() => call(n)));
  return took;
}

/** Percentiles of the times, as figures. */
export const percentiles = (name: string, took: readonly number[], ...wanted: number[]): Figures =>
  Object.fromEntries(wanted.map((p) => [`${name}, p${p}, ms`, percentile(took, p)]));
