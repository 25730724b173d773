import { openDatabase } from '../../src/db/orm.ts';
import { checkLedger } from '../../src/db/queries/ledger-drift.ts';

/** What the ledger's proof took, and how much it looked at. */
export interface LedgerTimes {
  seconds: number;
  /** Accounts, orders, transfers … of all checks together. */
  checked: number;
}

/** Proves the whole ledger, once. Throws where it is not sound. */
export async function proveLedger(databaseUrl: string): Promise<LedgerTimes> {
  const db = await openDatabase({ url: databaseUrl, poolSize: 1, debug: () => undefined });
  try {
    const began = performance.now();
    const checks = await checkLedger(db);
    const seconds = (performance.now() - began) / 1_000;
    const [amiss] = checks.flatMap(({ drift }) => drift);
    if (amiss) throw new Error(`The ledger is not sound: ${JSON.stringify(amiss)}`);
    return { seconds, checked: checks.reduce((sum, { checked }) => sum + checked, 0) };
  } finally {
    await db.close();
  }
}
