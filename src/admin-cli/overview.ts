import type { Command } from 'commander';
import type { Overview, Throughput } from '../contract/overview.ts';
import { ORDER_STATUSES } from '../domain/order-state.ts';
import { type Cli, listPath } from './cli.ts';
import { facts, minute, table } from './output.ts';

/** `overview` and `throughput`: what stands where, and how it went. */
export function addOverviewCommands(program: Command, { call, show }: Cli): void {
  program
    .command('overview')
    .description('what stands where, and what waits for an admin')
    .action(async () => show(await call<Overview>('GET', '/api/admin/overview'), standing));

  program
    .command('throughput')
    .description('how many times orders came into each status, by time')
    .option('--hours <n>', 'how far back, 1 to 24 (default: 3)')
    .action(async ({ hours }: { hours?: string }) =>
      show(await call<Throughput>('GET', listPath('/api/admin/throughput', { hours })), entered),
    );
}

function standing({ orders, webhooks, waiting_for_admin, processes, reconciler }: Overview): string {
  const byStatus = table(orders, {
    status: ({ status }) => status,
    orders: ({ count }) => count,
    'oldest since (UTC)': ({ oldest_at }) => minute(oldest_at),
  });
  const rest = facts({
    'disputes to resolve': waiting_for_admin.disputes,
    'LPs to approve': waiting_for_admin.pending_lps,
    'withdrawals to decide': waiting_for_admin.requested_withdrawals,
    'webhooks owed': webhooks.pending,
    'oldest of them (UTC)': minute(webhooks.oldest_pending_at),
    'webhooks given up': webhooks.exhausted,
    'API processes': processes.api,
    'worker processes': processes.worker,
    'reconciler at work': reconciler.at_work,
    'its last run (UTC)': minute(reconciler.last_run_at),
  });
  return `${byStatus}\n\n${rest}`;
}

type Bucket = Throughput['buckets'][number];

/** Only the times and the statuses at which something happened: there are up to 180 of the former. */
function entered({ bucket_seconds, buckets }: Throughput): string {
  const busy = buckets.filter((bucket) => ORDER_STATUSES.some((status) => bucket.entered[status] > 0));
  if (busy.length === 0) return 'No order has moved in this time.';
  const statuses = ORDER_STATUSES.filter((status) => busy.some((bucket) => bucket.entered[status] > 0));
  const rows = table(busy, {
    'from (UTC)': ({ at }) => minute(at),
    ...Object.fromEntries(statuses.map((status) => [status, (bucket: Bucket) => bucket.entered[status]])),
    'completed USD': ({ completed_usd }) => completed_usd,
  });
  const length = bucket_seconds === 60 ? 'a minute' : `${bucket_seconds / 60} minutes`;
  return `${rows}\n\nEach line is ${length}; those in which nothing happened are left out.`;
}
