import type { BulkRunDetail, BulkRunView } from '../api/resources/bulk-runs/schemas.ts';
import { facts, minute, table } from './output.ts';

/** Bulk runs as text for people. */

export const bulkTable = (runs: BulkRunView[]): string =>
  table(runs, {
    id: (run) => run.id,
    action: (run) => run.action,
    state: (run) => run.state,
    treated: (run) => `${run.treated} of ${run.orders}`,
    where: (run) => run.where,
    by: (run) => run.created_by,
    'created (UTC)': (run) => minute(run.created_at),
    reason: (run) => run.reason,
  });

export function dryRunText(run: BulkRunDetail): string {
  if (run.orders === 0) return `No order matches "${run.where}", so there is nothing to start.`;
  return [
    `Dry run ${run.id}: ${run.action} would get to ${ordersText(run.orders)}; nothing was changed.`,
    table(run.statuses, { status: (row) => row.status, orders: (row) => row.orders }),
    table(run.totals, {
      currency: (row) => row.currency,
      orders: (row) => row.orders,
      amount: (row) => row.amount_fiat,
      USD: (row) => row.amount_usd,
    }),
    `Orders: ${run.sample.join(', ')}${run.orders > run.sample.length ? ' …' : ''}`,
    `To carry it out before ${minute(run.expires_at)} UTC: npm run admin -- bulk start ${run.id}`,
  ].join('\n\n');
}

export function bulkReportText(run: BulkRunDetail): string {
  if (!run.started_at && run.state !== 'stopped') return dryRunText(run);
  const parts = [
    facts({
      'bulk run': run.id,
      action: run.action,
      where: run.where,
      state: run.state,
      treated: `${run.treated} of ${run.orders}`,
      'started by': run.created_by,
      'stopped by': run.stopped_by,
      reason: run.reason,
    }),
    table(run.outcomes, {
      outcome: (row) => row.outcome,
      why: (row) => row.reason,
      orders: (row) => row.orders,
    }),
  ];
  if (run.untouched.length > 0)
    parts.push(
      `The first orders that did not change:\n${table(run.untouched, {
        order: (row) => row.order_id,
        outcome: (row) => row.outcome,
        why: (row) => row.reason,
      })}`,
    );
  return parts.join('\n\n');
}

const ordersText = (count: number): string =>
  count === 1 ? '1 order' : `${count.toLocaleString('en-US')} orders`;
