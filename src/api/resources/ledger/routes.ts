import { checkLedger } from '../../../operations/diagnosis/checks/ledger.ts';
import { findingsOf } from '../../../operations/diagnosis/finding.ts';
import { remembered } from '../../../process/remembered.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Route, route } from '../../route.ts';
import { type LedgerReport, ledgerResponse } from './schemas.ts';

const SHOWN = 100;

/** Admins check that the ledger agrees with the balances and orders. */
export function ledgerRoutes({ db }: ApiDeps): Route[] {
  // Concurrent requests share one check. After a slow check, the next requests get its result.
  const report = remembered(async (): Promise<LedgerReport> => {
    const checks = await checkLedger(db);
    return {
      checked_at: new Date().toISOString(),
      ok: findingsOf(checks).length === 0,
      checks: checks.map(({ what, checked, findings }) => ({
        ...{ check: what, checked, drifts: findings.length },
        first: findings.slice(0, SHOWN).map(({ where, expected, found }) => ({ where, expected, found })),
      })),
    };
  }, 0);
  return [
    route({
      method: 'get',
      path: '/api/admin/ledger',
      auth: 'admin',
      summary: 'Check that balances, transfers, orders, deposits, withdrawals and postings agree',
      description:
        'Reads all in one snapshot, which takes time on a large ledger. A slow check is kept for a while.',
      answers: { 200: ledgerResponse },
      refuses: [],
      handle: async () => ({ status: 200, body: await report() }),
    }),
  ];
}
