import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../src/service/embedded/run-command.ts';

/** One value of a prepared statement: a constant, or a pgbench expression that differs for each order. */
export type PgbenchValue = { always: string | null } | { each: string } | { eachUuid: string };

/** A prepared statement with `$1` and so on, and the value of each parameter. */
export interface PgbenchStatement {
  text: string;
  values: PgbenchValue[];
}

export interface PgbenchRun {
  databaseUrl: string;
  clients: number;
  /** Transactions per client. */
  transactions: number;
  /** Variables of the expressions, besides `:client_id`, `:clients` and `:n` (the client's earlier transactions). */
  numbers: Record<string, number>;
}

/** Checks whether pgbench is on PATH. The npm package of PostgreSQL does not include it. */
export const hasPgbench = (): Promise<boolean> =>
  runCommand('pgbench', ['--version']).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );

/** Transactions per second, without the time for connecting. */
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
 * Writes the statement as a pgbench script. `$1` becomes the variable `v1`; an undefined variable is NULL. Variables are
 * numbers or texts from the command line, so the statement itself builds a UUID from a number.
 */
export function pgbenchScript({ text, values }: PgbenchStatement): string {
  const set = values.flatMap((value, i) => {
    const expression = 'each' in value ? value.each : 'eachUuid' in value ? value.eachUuid : undefined;
    return expression === undefined ? [] : [`\\set v${i + 1} ${expression}`];
  });
  const sql = withoutColons(text).replace(/\$(\d+)/g, (_, place: string) => {
    const value = values[Number(place) - 1];
    if (!value) throw new RangeError(`No value for parameter $${place}`);
    return 'eachUuid' in value ? `lpad(:v${place}, 32, '0')::uuid` : `:v${place}`;
  });
  return ['\\set n :n + 1', ...set, `${sql};`, ''].join('\n');
}

/** The constant values, for the command line. */
function constants({ values }: PgbenchStatement): Record<string, string> {
  return Object.fromEntries(
    values.flatMap((value, i) =>
      'always' in value && value.always !== null ? [[`v${i + 1}`, value.always]] : [],
    ),
  );
}

/** pgbench reads a colon before a word as a variable, even in a string. So a colon is written as its character code. */
const withoutColons = (sql: string): string =>
  sql.replace(/'[^']*'/g, (string) =>
    /:\w/.test(string) ? `E${string.replaceAll('\\', '\\\\').replaceAll(':', '\\072')}` : string,
  );

/** Parses transactions per second from pgbench's output. Throws unless it performed all `expected` transactions. */
export function pgbenchRate(output: string, expected: number): number {
  const processed = Number(/transactions actually processed: (\d+)/.exec(output)?.[1]);
  const failed = Number(/number of failed transactions: (\d+)/.exec(output)?.[1] ?? 0);
  // pgbench 13 prints two such lines. Later versions print one, with other words.
  const rate = /tps = ([\d.]+) \((?:without initial connection time|excluding connections establishing)\)/;
  const perSecond = Number(rate.exec(output)?.[1]);
  if (processed !== expected || failed !== 0 || !(perSecond > 0))
    throw new Error(`pgbench did not perform ${expected} transactions:\n${output}`);
  return perSecond;
}
