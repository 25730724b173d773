import type { ReconciliationReport } from '../api/resources/reconciliation/schemas.ts';
import { command } from './command.ts';
import { minute, table } from './output.ts';

type Reserves = ReconciliationReport['reserves'];

/** `reconcile`: compares rows, workflows, ledger and reserves. */
export const RECONCILE_COMMANDS = [
  command(
    'reconcile',
    'compare orders, workflows, ledger and reserves; exit code 1 if something does not heal by itself',
    {
      call: 'GET /api/admin/reconciliation',
      print: reportText,
      fails: ({ needs_attention }) => needs_attention,
    },
  ),
];

function reportText({
  drift,
  temporal,
  reserves,
  reconciler,
  needs_attention,
}: ReconciliationReport): string {
  const shown = table(drift, {
    drift: ({ kind }) => kind.replaceAll('_', ' '),
    ...{ count: 'count', 'heals by itself': 'healing' },
  });
  const findings = drift.flatMap(({ kind, first }) =>
    first.map(
      ({ where, expected, found }) =>
        `${kind.replaceAll('_', ' ')}: ${where}: expected ${expected}, found ${found}`,
    ),
  );
  const { last_run_at, at_work } = reconciler;
  const lines = [
    ...findings,
    ...(temporal ? [] : ['Temporal does not answer, so its workflows could not be compared.']),
    reservesText(reserves),
    ...(at_work ? [] : [`The reconciler is not at work; last run (UTC): ${minute(last_run_at) ?? 'never'}.`]),
    ...(needs_attention ? [] : [findings.length === 0 ? 'All agree.' : 'The reconciler is repairing it.']),
  ];
  return `${shown}\n\n${lines.join('\n')}`;
}

function reservesText({ result, checked_at, owed_usd, held_usd, holdings }: Reserves): string {
  if (result === 'not_compared' && checked_at === null)
    return 'The reserves are not compared: no real chain has an address of the platform, or it is switched off.';
  const unread = holdings.flatMap(({ chain, symbol, unread }) => (unread ? `${symbol} on ${chain}` : []));
  const sums = `LPs are owed ${owed_usd} USD, the platform’s addresses hold ${held_usd} USD`;
  const gaps = unread.length > 0 ? `, without ${unread.join(' and ')}` : '';
  return `Reserves ${result.replaceAll('_', ' ')} at ${minute(checked_at)} (UTC): ${sums}${gaps}.`;
}
