import type { BulkRunDetail, BulkRunView } from '../api/resources/bulk-runs/schemas.ts';
import { facts, minute, table, tableOf } from './output.ts';

/** Bulk runs as text for people. */

export const bulkTable = tableOf<BulkRunView>({
  ...{ id: 'id', action: 'action', state: 'state' },
  treated: (run) => `${run.treated} of ${run.orders}`,
  ...{ where: 'where', by: 'created_by', 'created (UTC)': 'created_at', reason: 'reason' },
});

export function dryRunText(run: BulkRunDetail): string {
  if (run.orders === 0) return `No order matches "${run.where}", so there is nothing to start.`;
  return [
    `Dry run ${run.id}: ${run.action} would get to ${ordersText(run.orders)}; nothing was changed.`,
    table(run.statuses, { status: 'status', orders: 'orders' }),
    table(run.totals, { currency: 'currency', orders: 'orders', amount: 'amount_fiat', USD: 'amount_usd' }),
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
    table(run.outcomes, { outcome: 'outcome', why: 'reason', orders: 'orders' }),
  ];
  if (run.untouched.length > 0) {
    const untouched = table(run.untouched, { order: 'order_id', outcome: 'outcome', why: 'reason' });
    parts.push(`The first orders that did not change:\n${untouched}`);
  }
  return parts.join('\n\n');
}

const ordersText = (count: number): string =>
  count === 1 ? '1 order' : `${count.toLocaleString('en-US')} orders`;
