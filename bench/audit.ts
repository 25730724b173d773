import { parseArgs } from 'node:util';
import { createProgram } from '../dev/cleanup.ts';
import { sandboxAddress } from '../dev/registration.ts';
import { onBehalfOf } from '../src/db/audit-context.ts';
import { migrate } from '../src/db/migrate.ts';
import { type Database, openDatabase } from '../src/db/orm.ts';
import { changeLp } from '../src/market/lps/change-lp.ts';
import { publishTerms } from '../src/market/lps/publish-terms.ts';
import { registerAsset } from '../src/market/lps/register-asset.ts';
import { openBooks } from '../test/support/books.ts';
import { newDatabase, startOwnPostgres } from './databases.ts';
import { percentile } from './figures.ts';

const USAGE = `usage: npm run bench:audit -- [--rounds N] [--calls N] [--writers N]

Measures, on a database alone, what the audit adds to the changes of LPs and admins: its triggers hash each event with the one
before it, under one lock. In turns, each round (9) makes N calls (320) of each kind with the audit and without its triggers,
first one at a time, then by N writers (64) at once, of an LP each. Prints the median of a call.`;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    calls: { type: 'string', default: '320' },
    writers: { type: 'string', default: '64' },
    help: { type: 'boolean', short: 'h' },
  },
});
const { say, cleanup } = createProgram();

/** A change that the audit records. `lpId`: its LP; `n`: another value each time. */
interface Change {
  name: string;
  table: string;
  make: (db: Database, lpId: number, n: number) => Promise<unknown>;
}

const TERMS = { currency: 'KES', method: 'mobile_money' };
const CHANGES: Change[] = [
  {
    name: 'an LP registers an address',
    table: 'lp_asset',
    make: (db, lpId) =>
      registerAsset(
        db,
        lpId,
        { symbol: 'usdt', chain: 'trx', address: sandboxAddress(), destinationTag: null },
        0,
      ),
  },
  {
    name: 'an LP publishes a rate',
    table: 'lp_term',
    make: (db, lpId, n) =>
      publishTerms(
        db,
        { lpId, ...TERMS },
        { rate: { validForMs: 3_600_000, rate_usd: String(120 + (n % 1_000) / 1_000) } },
      ),
  },
  {
    name: 'an admin sets a tier',
    table: 'lp',
    make: (db, lpId, n) => changeLp(db, lpId, { tier: n % 5 }),
  },
];

if (values.help) say(USAGE);
else await main(Number(values.rounds), Number(values.calls), Number(values.writers)).finally(cleanup.run);

async function main(rounds: number, calls: number, writers: number): Promise<void> {
  const postgresUrl = await startOwnPostgres(cleanup);
  const url = await newDatabase(postgresUrl);
  await migrate({ url, debug: () => undefined });
  const books = await openBooks(url);
  const lps: number[] = [];
  while (lps.length < writers) lps.push(await books.newLp());
  await books.db.close();
  const db = await openDatabase({ url, poolSize: writers, queryTimeoutMs: 0, debug: () => undefined });
  try {
    say('| change | writers | without the audit, ms | with it, ms | with ÷ without |');
    say('|---|---:|---:|---:|---:|');
    for (const change of CHANGES)
      for (const at of [lps.slice(0, 1), lps]) await compare(db, change, at, rounds, calls);
  } finally {
    await db.close();
  }
}

async function compare(
  db: Database,
  change: Change,
  lps: number[],
  rounds: number,
  calls: number,
): Promise<void> {
  const took: Record<'enable' | 'disable', number[]> = { enable: [], disable: [] };
  // The first round makes plans and is not counted.
  for (let round = 0; round <= rounds; round++)
    for (const audit of round % 2 === 0
      ? (['enable', 'disable'] as const)
      : (['disable', 'enable'] as const)) {
      await setAudit(db, change.table, audit);
      const median = percentile(await timeChanges(db, change, lps, calls), 50);
      if (round > 0) took[audit].push(median);
    }
  await setAudit(db, change.table, 'enable');
  const ratios = took.enable.map((ms, round) => ms / (took.disable[round] as number));
  const [without, withIt, ratio] = [took.disable, took.enable, ratios].map((all) =>
    percentile(all, 50).toFixed(2),
  );
  say(`| ${change.name} | ${lps.length} | ${without} | ${withIt} | ${ratio} |`);
}

/** The triggers of the audit are named `audit` and `audit_update`. */
async function setAudit(db: Database, table: string, to: 'enable' | 'disable'): Promise<void> {
  const sql = `select tgname from pg_trigger where tgrelid = $1::regclass and tgname like 'audit%'`;
  for (const { tgname } of (await db.pool.query(sql, [table])).rows)
    await db.pool.query(`alter table ${table} ${to} trigger ${tgname}`);
}

/** How long each of the calls took, in ms, shared by one writer per LP. */
async function timeChanges(db: Database, { make }: Change, lps: number[], calls: number): Promise<number[]> {
  const took: number[] = [];
  let begun = 0;
  const write = async (lpId: number) => {
    const context = { actor: `lp:${lpId}`, address: '192.0.2.1', requestId: 'bench', action: 'bench' };
    while (begun < calls) {
      const n = begun++;
      const began = performance.now();
      await onBehalfOf(context, () => make(db, lpId, n));
      took.push(performance.now() - began);
    }
  };
  await Promise.all(lps.map(write));
  return took;
}
