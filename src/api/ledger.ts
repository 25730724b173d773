import { type LedgerReport, ledgerResponse } from '../contract/ledger.ts';
import { checkLedger } from '../db/queries/ledger-drift.ts';
import { remembered } from '../metrics/remembered.ts';
import type { ApiDeps } from './deps.ts';
import { type Route, route } from './route.ts';

const SHOWN = 100;

/** The proof of the books. */
export function ledgerRoutes({ db }: ApiDeps): Route[] {
  // Impatient admins wait for one proof together, and of a large ledger get the last one again.
  const proof = remembered(async (): Promise<LedgerReport> => {
    const checks = await checkLedger(db);
    return {
      checked_at: new Date().toISOString(),
      ok: checks.every(({ drift }) => drift.length === 0),
      checks: checks.map(({ what, checked, drift }) => ({
        ...{ check: what, checked, drifts: drift.length },
        first: drift.slice(0, SHOWN).map(({ where, expected, found }) => ({ where, expected, found })),
      })),
    };
  }, 0);
  return [
    route({
      method: 'get',
      path: '/api/admin/ledger',
      auth: 'admin',
      summary: 'Prove that balances, transfers, orders, deposits and withdrawals agree',
      description:
        'Reads all of them in one snapshot, so it takes its time; changes nothing and keeps nobody waiting. `checked_at` says when: a proof that took long is told again for a while.',
      answers: { 200: ledgerResponse },
      refuses: [],
      handle: async () => ({ status: 200, body: await proof() }),
    }),
  ];
}
