import { sandboxAddress } from '../../../dev/registration.ts';
import { onBehalfOf } from '../../../src/db/audit-context.ts';
import type { Database } from '../../../src/db/orm.ts';
import { changeLp } from '../../../src/market/lps/change-lp.ts';
import { publishTerms } from '../../../src/market/lps/publish-terms.ts';
import { registerAsset } from '../../../src/market/lps/register-asset.ts';
import { openBooks } from '../../../test/support/books.ts';
import { percentile } from '../../figures.ts';
import { type Figures, ms, openOwn, ownDatabase, type Scenario } from '../scenario.ts';

const TERMS = { currency: 'KES', method: 'mobile_money' };
const TOKEN = { symbol: 'usdt', chain: 'trx', destinationTag: null } as const;
/** Changes that the audit records, by their table. `n`: another value each time. */
const CHANGES: Record<string, (db: Database, lpId: number, n: number) => Promise<unknown>> = {
  lp_asset: (db, lpId) => registerAsset(db, lpId, { ...TOKEN, address: sandboxAddress() }, 0),
  lp_term: (db, lpId, n) =>
    publishTerms(
      db,
      { lpId, ...TERMS },
      { rate: { validForMs: 3_600_000, rate_usd: String(120 + (n % 1_000) / 1_000) } },
    ),
  lp: (db, lpId, n) => changeLp(db, lpId, { tier: n % 5 }),
};

export const AUDIT: Scenario = {
  question:
    'What do the audit’s triggers, which take one lock in turn, add to a change of an address, a rate or a tier, by one writer and by many?',
  sizes: { calls: 320, writers: 64 },
  rounds: 9,
  warms: true,
  async start(given) {
    const url = await ownDatabase(given);
    const books = await openBooks(url);
    const lps: number[] = [];
    while (lps.length < given.size('writers')) lps.push(await books.newLp());
    await books.db.close();
    const db = await openOwn(url, given, { poolSize: lps.length, queryTimeoutMs: 0 });
    const measure = async (audit: 'enable' | 'disable') => {
      const figures: Figures = {};
      for (const [table, change] of Object.entries(CHANGES)) {
        await setAudit(db, table, audit);
        for (const writers of [lps.slice(0, 1), lps])
          figures[`${table}, ${writers.length} writers, ms`] = percentile(
            await timeChanges(writers, given.size('calls'), (lpId, n) => change(db, lpId, n)),
            50,
          );
      }
      return figures;
    };
    return { without: () => measure('disable'), 'with the audit': () => measure('enable') };
  },
};

/** The triggers of the audit are named `audit` and `audit_update`. */
async function setAudit(db: Database, table: string, to: 'enable' | 'disable'): Promise<void> {
  const sql = `select tgname from pg_trigger where tgrelid = $1::regclass and tgname like 'audit%'`;
  for (const { tgname } of (await db.pool.query(sql, [table])).rows)
    await db.pool.query(`alter table ${table} ${to} trigger ${tgname}`);
}

/** How long each of the calls took, shared by one writer per LP. */
async function timeChanges(
  lps: number[],
  calls: number,
  change: (lpId: number, n: number) => Promise<unknown>,
): Promise<number[]> {
  const took: number[] = [];
  let begun = 0;
  const write = async (lpId: number) => {
    const context = { actor: `lp:${lpId}`, address: '192.0.2.1', requestId: 'bench', action: 'bench' };
    while (begun < calls) {
      const n = begun++;
      took.push(await ms(() => onBehalfOf(context, () => change(lpId, n))));
    }
  };
  await Promise.all(lps.map(write));
  return took;
}
