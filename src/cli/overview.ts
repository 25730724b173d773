import type { Command } from 'commander';
import type { Overview, Throughput } from '../api/resources/overview/schemas.ts';
import { incidentName } from '../domain/incident.ts';
import { ORDER_STATUSES } from '../domain/order-state.ts';
import { pauseScope } from '../domain/pause-scope.ts';
import { type Cli, pathWith } from './cli.ts';
import { facts, minute, table } from './output.ts';

/** `overview` and `throughput`: the current state, and the recent past. */
export function addOverviewCommands(program: Command, { call, show }: Cli): void {
  program
    .command('overview')
    .description('show orders by status, and what waits for an admin')
    .action(async () => show(await call<Overview>('GET', '/api/admin/overview'), standing));

  program
    .command('throughput')
    .description('show how many orders entered each status, by time')
    .option('--hours <n>', 'how far back, 1 to 24 (default: 3)')
    .action(async ({ hours }: { hours?: string }) =>
      show(await call<Throughput>('GET', pathWith('/api/admin/throughput', { hours })), entered),
    );
}

function standing({
  orders,
  webhooks,
  waiting_for_admin,
  pauses,
  incidents,
  processes,
  reconciler,
}: Overview): string {
  const byStatus = table(orders, {
    status: ({ status }) => status,
    orders: ({ count }) => count,
    'oldest since (UTC)': ({ oldest_at }) => minute(oldest_at),
  });
  const rest = facts({
    'disputes to resolve': waiting_for_admin.disputes,
    'frozen orders': waiting_for_admin.frozen_orders,
    'LPs to approve': waiting_for_admin.pending_lps,
    'withdrawals to decide': waiting_for_admin.requested_withdrawals,
    'proposals to approve': waiting_for_admin.proposals,
    'orders of revoked agents': waiting_for_admin.revoked_agent_orders,
    paused: pauses.length > 0 ? pauses.map(pauseScope).join('; ') : 'nothing',
    incidents: incidents.length > 0 ? incidents.map(incidentName).join('; ') : 'none',
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
    'from (UTC)': ({ at }) => minute(at),
    ...Object.fromEntries(statuses.map((status) => [status, (bucket: Bucket) => bucket.entered[status]])),
    'completed USD': ({ completed_usd }) => completed_usd,
  });
  const length = bucket_seconds === 60 ? 'a minute' : `${bucket_seconds / 60} minutes`;
  return `${rows}\n\nEach line is ${length}. Times without a transition are left out.`;
}
