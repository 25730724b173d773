import { causeWords, wordsFor } from '../words.ts';

/** What people read for the actions of the audit. `test/unit/audit-words.test.ts` compares them with the routes. */
export const ACTIONS: Record<string, string> = {
  'POST /api/console/session': 'Signed in to the console',
  'DELETE /api/console/session': 'Signed out',
  'DELETE /api/console/sessions': 'Signed out everywhere',
  'DELETE /api/console/sessions/:id': 'Ended a session of their own',
  'GET /auth/oidc/callback': 'Signed in at the identity provider',
  'POST /api/admin/admins': 'Added an admin',
  'POST /api/admin/admins/:id': 'Changed an admin',
  'POST /api/admin/admins/:id/rotate': 'Rotated the key of an admin',
  'POST /api/admin/whoami/rotate': 'Rotated their own key',
  'DELETE /api/admin/admins/:id': 'Deactivated an admin',
  'POST /api/admin/approvals/:id/approve': 'Approved a proposal',
  'POST /api/admin/approvals/:id/reject': 'Rejected a proposal',
  'POST /api/admin/agent-keys': 'Created an agent key',
  'POST /api/admin/agent-keys/:id': 'Changed an agent key',
  'POST /api/admin/agent-keys/:id/rotate': 'Rotated an agent key',
  'POST /api/admin/agent-keys/:id/rotate-webhook-secret': 'Rotated the webhook secret of an agent key',
  'DELETE /api/admin/agent-keys/:id': 'Deactivated an agent key',
  'POST /api/admin/users': 'Created a user',
  'POST /api/admin/users/:id/forget': 'Removed the personal data of a user',
  'POST /api/admin/lps/:id/approve': 'Approved an LP',
  'POST /api/admin/lps/:id/suspend': 'Suspended an LP',
  'POST /api/admin/lps/:id/tier': 'Set the tier of an LP',
  'POST /api/admin/lps/:id/forgive': 'Forgave the strikes of an LP',
  'POST /api/admin/lps/:id/rotate': 'Rotated the key of an LP',
  'POST /api/admin/lps/:id/addresses/release': 'Took an address from an LP',
  'POST /api/admin/orders/:id/resolve': 'Resolved a dispute',
  'POST /api/admin/orders/:id/cancel': 'Cancelled an order',
  'POST /api/admin/orders/:id/extend': 'Extended a deadline',
  'POST /api/admin/orders/:id/freeze': 'Froze an order',
  'POST /api/admin/orders/:id/unfreeze': 'Unfroze an order',
  'POST /api/admin/orders/:id/retry-verification': 'Verified a transaction again',
  'POST /api/admin/bulk-runs': 'Made a dry run for many orders',
  'POST /api/admin/bulk-runs/:id/start': 'Started a bulk run',
  'POST /api/admin/bulk-runs/:id/stop': 'Stopped a bulk run',
  'POST /api/admin/pauses': 'Paused payments and claims',
  'DELETE /api/admin/pauses/:id': 'Ended a pause',
  'POST /api/admin/incidents': 'Opened an incident',
  'POST /api/admin/incidents/:id/close': 'Closed an incident',
  'POST /api/admin/withdrawals/:id/paid': 'Marked a withdrawal as paid',
  'POST /api/admin/withdrawals/:id/reject': 'Rejected a withdrawal',
  'POST /api/admin/webhook-deliveries/:id/redeliver': 'Sent a webhook again',
  'POST /api/admin/ledger/payouts': 'Recorded a payout of fees',
  'POST /api/admin/ledger/compensations': 'Recorded a compensation',
  'POST /api/admin/ledger/adjustments': 'Corrected the books',
  'POST /api/lp/register': 'Registered an LP',
  'POST /api/lp/:lp_key/terms': 'Changed its terms',
  'POST /api/lp/:lp_key/rates': 'Published a rate',
  'POST /api/lp/:lp_key/assets': 'Registered a receive address',
  'POST /api/lp/:lp_key/rotate': 'Rotated its own key',
  'POST /api/lp/:lp_key/collateral/deposit': 'Announced a deposit',
  'POST /api/lp/:lp_key/collateral/:deposit_id/confirm': 'Confirmed a deposit',
  'POST /api/lp/:lp_key/collateral/withdraw': 'Requested a withdrawal',
  'POST /api/lp/:lp_key/webhook': 'Changed its webhooks',
  'DELETE /api/lp/:lp_key/webhook': 'Turned its webhooks off',
  'POST /api/lp/:lp_key/auto-claim': 'Changed its auto-claim',
  'POST /api/lp/:lp_key/receipt': 'Uploaded a receipt',
  'POST /sandbox/orders/:orderId/advance': 'Expired a deadline on request',
};

/** A change without a request, such as `update lp_term`: by a job of the service, or with SQL by hand. */
const ROW_CHANGES: Record<string, string> = { insert: 'Added', update: 'Changed', delete: 'Removed' };
/** The tables whose rows the audit covers. */
export const TABLES: Record<string, string> = {
  admin: 'an admin',
  session: 'a session of an admin',
  agent_key: 'an agent key',
  agent_webhook_secret: 'the webhook secret of an agent key',
  approval: 'a proposal',
  app_user: 'a user',
  pause: 'a pause',
  incident: 'an incident',
  bulk_run: 'a bulk run',
  admin_posting: 'a posting',
  lp: 'an LP',
  lp_forgiveness: 'the forgiveness of strikes',
  lp_asset: 'a receive address',
  address_release: 'the release of an address',
  lp_auto_claim: 'an auto-claim',
  lp_webhook: 'the webhooks of an LP',
  collateral_deposit: 'a deposit',
  collateral_withdrawal: 'a withdrawal',
  lp_term: 'the terms of an LP',
};

/** An action of the audit in words. A command on an order is named as the order's timeline names it. */
export function actionWords(action: string): string {
  const known = ACTIONS[action];
  if (known) return known;
  const [verb = '', table = ''] = action.split(' ');
  const change = ROW_CHANGES[verb];
  if (change && table) return `${change} ${TABLES[table] ?? wordsFor(table)}`;
  return /^[A-Z]+ \//.test(action) ? action : causeWords(action);
}

/** An event in words. A request that needed a second admin changed nothing by itself: its event is about its proposal. */
export function eventWords({ action, object }: { action: string; object: string | null }): string {
  const isProposal = object?.startsWith('approval:') && action in ACTIONS && !action.includes('/approvals/');
  return isProposal ? `Proposed: ${actionWords(action)}` : actionWords(action);
}

/** `agent_key:3` is `agent key 3`, `lp:7` is `LP 7`. */
export function objectWords(object: string): string {
  const [kind = '', id = ''] = object.split(':');
  return `${wordsFor(kind)} ${id}`.trim();
}

const ACTOR_WORDS: Record<string, string> = {
  service: 'Corridor',
  stranger: 'a caller without a key',
  oidc: 'the identity provider',
};

/** `admin:3` with the name Ada is `Ada, admin 3`. */
export function actorText(actor: string, name: string | null): string {
  if (actor === 'admin:root') return 'root';
  const [kind = '', id = ''] = actor.split(':');
  const words = kind === 'database' ? `SQL by hand as ${id}` : (ACTOR_WORDS[actor] ?? objectWords(actor));
  return name ? `${name}, ${words}` : words;
}
