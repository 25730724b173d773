import type { Database } from '../../../db/orm.ts';

/** Deletes webhooks (`d`) with their attempts. */
function webhooksWhere(condition: string): string {
  return `
    with pruned as (delete from webhook_delivery d where ${condition} returning id)
    delete from webhook_attempt using pruned where delivery_id = pruned.id`;
}

/** The deletions, by the names of their jobs. */
const PRUNES = {
  pruneOutcomes: `delete from order_outcome where created_at < now() - interval '1 day'`,
  // A signal may wait in Temporal for as long as no worker runs.
  pruneRequestNotes: `delete from request_note where created_at < now() - interval '30 days'`,
  pruneFreeReleases: `delete from free_release where created_at < now() - interval '2 days'`,
  pruneRateLocks: `delete from rate_lock where order_id is null and expires_at < now() - interval '1 day'`,
  // An order keeps its own copy of the check.
  pruneRecipientChecks: `delete from recipient_check where expires_at < now() - interval '1 day'`,
  pruneSessions: `delete from session where expires_at < now() - interval '30 days'`,
  pruneOidcSignIns: `delete from oidc_sign_in where expires_at < now()`,
  pruneReservedAmounts: `delete from reserved_amount where expires_at <= now()`,
  pruneUnansweredOrders: `delete from unanswered_order where asked_at < now() - interval '1 hour'`,
  // Dry runs that nobody has started.
  pruneBulkRuns: `
    with pruned as (
      select id from bulk_run where started_at is null and expires_at < now() - interval '1 day'
    ), orders as (
      delete from bulk_order using pruned where bulk_run_id = pruned.id
    )
    delete from bulk_run using pruned where bulk_run.id = pruned.id`,
  pruneLpWebhooks: webhooksWhere(`d.lp_id is not null and d.finished_at < now() - interval '7 days'`),
  // A webhook that was written while its LP turned webhooks off. Nobody sends it, and it would keep its order from being masked.
  pruneLpWebhooksWithoutReceiver: webhooksWhere(`
    d.lp_id is not null and d.state = 'pending' and d.url is null
      and not exists (select from lp_webhook hook where hook.lp_id = d.lp_id and hook.stopped_at is null)`),
  pruneFormerLpWebhooks: 'delete from former_lp_webhook where kept_until < now()',
  pruneRateWindows: `delete from rate_window where updated_at < now() - interval '1 hour'`,
};

/** A job for each table whose rows become useless. What has become useless is ignored until it is deleted. */
export const pruneJobs = (db: Database) =>
  Object.entries(PRUNES).map(([name, statement]) => ({
    name,
    canWait: true as const,
    run: async () => void (await db.query(name, statement, [])),
  }));
