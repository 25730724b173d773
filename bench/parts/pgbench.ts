import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../src/embedded/run-command.ts';

/** One value of a prepared statement: the same for all, or an expression of pgbench's that differs for each order. */
export type PgbenchValue = { always: string | null } | { each: string } | { eachUuid: string };

/** A statement as it is prepared, with `$1` and so on, and what each of those becomes. */
export interface PgbenchStatement {
  text: string;
  values: PgbenchValue[];
}

export interface PgbenchRun {
  databaseUrl: string;
  clients: number;
  /** Of each client. */
  transactions: number;
  /** What the expressions use besides `:client_id`, `:clients` and `:n`, the client's transactions before. */
  numbers: Record<string, number>;
}

/** Whether there is a pgbench on PATH. PostgreSQL's npm package brings none. */
export const hasPgbench = (): Promise<boolean> =>
  runCommand('pgbench', ['--version']).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );

/** How many a second, without the time for connecting. */
export async function runPgbench(
  statement: PgbenchStatement,
  { databaseUrl, clients, transactions, numbers }: PgbenchRun,
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-pgbench-'));
  try {
    const file = join(folder, 'statement.sql');
    await writeFile(file, pgbenchScript(statement));
    const defined = { ...numbers, ...constants(statement), clients, n: -1 };
    const said = await runCommand('pgbench', [
      ...['--no-vacuum', '--protocol=prepared', `--file=${file}`],
      ...[`--client=${clients}`, `--transactions=${transactions}`],
      ...Object.entries(defined).map(([name, value]) => `--define=${name}=${value}`),
      databaseUrl,
    ]);
    return pgbenchRate(said, clients * transactions);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The statement in pgbench's language. What is `$1` there is the variable `v1`; one that is not defined is NULL. Its
 * variables are numbers or texts of the command line, so an id is made of a number by the statement itself.
 */
export function pgbenchScript({ text, values }: PgbenchStatement): string {
  const set = values.flatMap((value, i) => {
    const expression = 'each' in value ? value.each : 'eachUuid' in value ? value.eachUuid : undefined;
    return expression === undefined ? [] : [`\\set v${i + 1} ${expression}`];
  });
  const sql = withoutColons(text).replace(/\$(\d+)/g, (_, place: string) => {
    const value = values[Number(place) - 1];
    if (!value) throw new RangeError(`There is no value for $${place}`);
    return 'eachUuid' in value ? `lpad(:v${place}, 32, '0')::uuid` : `:v${place}`;
  });
  return ['\\set n :n + 1', ...set, `${sql};`, ''].join('\n');
}

/** The values that are the same for all, for the command line. */
function constants({ values }: PgbenchStatement): Record<string, string> {
  return Object.fromEntries(
    values.flatMap((value, i) =>
      'always' in value && value.always !== null ? [[`v${i + 1}`, value.always]] : [],
    ),
  );
}

/** In a string a colon before a word would be taken for a variable of pgbench's: it is written by its number. */
const withoutColons = (sql: string): string =>
  sql.replace(/'[^']*'/g, (string) =>
    /:\w/.test(string) ? `E${string.replaceAll('\\', '\\\\').replaceAll(':', '\\072')}` : string,
  );

/** Transactions a second in what pgbench printed; throws when it did not carry out all that were `expected`. */
export function pgbenchRate(said: string, expected: number): number {
  const processed = Number(/transactions actually processed: (\d+)/.exec(said)?.[1]);
  const failed = Number(/number of failed transactions: (\d+)/.exec(said)?.[1] ?? 0);
  // pgbench 13 has two lines; the one of the version since then says it in other words.
  const rate = /tps = ([\d.]+) \((?:without initial connection time|excluding connections establishing)\)/;
  const perSecond = Number(rate.exec(said)?.[1]);
  if (processed !== expected || failed !== 0 || !(perSecond > 0))
    throw new Error(`pgbench did not do what it was to do (${expected} transactions):\n${said}`);
  return perSecond;
}
