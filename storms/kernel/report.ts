import { findingText } from '../../src/operations/diagnosis/finding.ts';
import type { OrdersReport } from './orders-run.ts';

/** A row of a summary: its name and its value. */
export type Row = [name: string, value: string | number];

export const seconds = (ms: number) => `${Math.round(ms / 1_000)} s`;

/** How many of each there are, without those of which there are none. */
export const listed = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} × ${name}`)
    .join(', ') || 'none';

/** Orders by their final status, and the payments that were never made. */
export const endsOf = ({ ends, neverMade }: OrdersReport): string =>
  listed(new Map([...ends, ['never made', neverMade]]));

/** What every storm reports: its orders, its calls, and what was wrong. `own`: the rows of one kind of storm. */
export function summaryOf(report: OrdersReport, own: Row[]): string {
  const { seed, orders, calls, breaches, stuck, gaveUp, webhooks, durationMs } = report;
  const rows: Row[] = [
    ['seed', seed],
    ['orders', `${orders} (${endsOf(report)})`],
    [
      'calls',
      `${calls.attempts} attempts, ${calls.good} with a 2xx, ${calls.failed} with a 503 or no response, ${gaveUp} given up`,
    ],
    ['webhooks', `${webhooks} received`],
    ...own,
    ['breaches', breaches.length],
    ['stuck', stuck.length],
    ['duration', seconds(durationMs)],
  ];
  return rows.map(([name, value]) => `${name.padEnd(13)} ${value}`).join('\n');
}

/** A line for each breach and each stuck order. */
export const faultsOf = ({ breaches, stuck }: OrdersReport): string[] => [
  ...breaches.map((breach) => `BREACH ${findingText(breach)}`),
  ...stuck.map((line) => `STUCK ${line}`),
];
