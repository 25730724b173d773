import { openDatabase } from '../../src/db/orm.ts';
import { checkLedger } from '../../src/operations/diagnosis/checks/ledger.ts';

/** The duration and extent of a full ledger check. */
export interface LedgerTimes {
  seconds: number;
  /** Accounts, orders, transfers and so on, summed over all checks. */
  checked: number;
}

/** Checks the whole ledger once. Throws if a check finds drift. */
export async function checkWholeLedger(databaseUrl: string): Promise<LedgerTimes> {
  const db = await openDatabase({ url: databaseUrl, poolSize: 1, debug: () => undefined });
  try {
    const began = performance.now();
    const checks = await checkLedger(db);
    const seconds = (performance.now() - began) / 1_000;
    const [finding] = checks.flatMap(({ findings }) => findings);
    if (finding) throw new Error(`The ledger is not sound: ${JSON.stringify(finding)}`);
    return { seconds, checked: checks.reduce((sum, { checked }) => sum + checked, 0) };
  } finally {
    await db.close();
  }
}
