import type { Overview, Throughput } from '../api/resources/overview/schemas.ts';
import { incidentName } from '../domain/incident.ts';
import { ORDER_STATUSES } from '../domain/order-state.ts';
import { pauseScope } from '../domain/pause-scope.ts';
import { command } from './command.ts';
import { facts, listed, minute, table } from './output.ts';

/** `overview` and `throughput`: the current state, and the recent past. */
export const OVERVIEW_COMMANDS = [
  command('overview', 'show orders by status, and what waits for an admin', {
    call: 'GET /api/admin/overview',
    print: standing,
  }),
  command('throughput', 'show how many orders entered each status, by time', {
    call: 'GET /api/admin/throughput',
    options: { '--hours <n>': 'how far back, 1 to 24 (default: 3)' },
    print: entered,
  }),
];

function standing({
  orders,
  webhooks,
  waiting_for_admin,
  pauses,
  incidents,
  processes,
  reconciler,
}: Overview): string {
  const byStatus = table(orders, { status: 'status', orders: 'count', 'oldest since (UTC)': 'oldest_at' });
  const rest = facts({
    'disputes to resolve': waiting_for_admin.disputes,
    'frozen orders': waiting_for_admin.frozen_orders,
    'LPs to approve': waiting_for_admin.pending_lps,
    'withdrawals to decide': waiting_for_admin.requested_withdrawals,
    'proposals to approve': waiting_for_admin.proposals,
    'orders of revoked agents': waiting_for_admin.revoked_agent_orders,
    paused: pauses.length > 0 ? listed(pauses.map(pauseScope)) : 'nothing',
    incidents: listed(incidents.map(incidentName)),
    'webhooks pending': webhooks.pending,
    'oldest pending (UTC)': minute(webhooks.oldest_pending_at),
    'webhooks exhausted': webhooks.exhausted,
    'API processes': processes.api,
    'worker processes': processes.worker,
    'reconciler running': reconciler.at_work,
    'its last run (UTC)': minute(reconciler.last_run_at),
  });
  return `${byStatus}\n\n${rest}`;
}

type Bucket = Throughput['buckets'][number];

/** Only the buckets and statuses with transitions, because there are up to 180 buckets. */
function entered({ bucket_seconds, buckets }: Throughput): string {
  const busy = buckets.filter((bucket) => ORDER_STATUSES.some((status) => bucket.entered[status] > 0));
  if (busy.length === 0) return 'No order changed its status in this time.';
  const statuses = ORDER_STATUSES.filter((status) => busy.some((bucket) => bucket.entered[status] > 0));
  const rows = table(busy, {
    'from (UTC)': 'at',
    ...Object.fromEntries(statuses.map((status) => [status, (bucket: Bucket) => bucket.entered[status]])),
    'completed USD': 'completed_usd',
  });
  const length = bucket_seconds === 60 ? 'a minute' : `${bucket_seconds / 60} minutes`;
  return `${rows}\n\nEach line is ${length}. Times without a transition are left out.`;
}
