import type { ListedApproval } from '../../../src/api/schemas/approvals.ts';
import { formatUsd } from '../format.ts';
import { wordsFor } from '../words.ts';
import { actorText } from './audit-words.ts';

/**
 * What people read for the requests that need a second admin, with fields of the path and of the body.
 * `test/unit/audit-words.test.ts` compares them with the routes.
 */
export const REQUESTS: Record<string, string> = {
  'POST /api/admin/orders/:id/resolve':
    'Resolve the dispute of order :id as :outcome, with a slash of :slash_usd',
  'POST /api/admin/withdrawals/:id/paid': 'Mark withdrawal :id as paid',
  'POST /api/admin/ledger/payouts': 'Record a payout of :amount of fees',
  'POST /api/admin/ledger/compensations': 'Record a compensation of :amount',
  'POST /api/admin/ledger/adjustments': 'Correct the books by :amount',
  'POST /api/admin/users/:id/forget': 'Remove the personal data of user :id',
  'POST /api/admin/admins': 'Add the admin :name, :role',
  'POST /api/admin/admins/:id': 'Change admin :id',
  'POST /api/admin/admins/:id/rotate': 'Rotate the key of admin :id',
};

/** What a proposal asks for, such as `Mark withdrawal 7 as paid`. */
export function requestWords({
  action,
  params,
  body,
}: Pick<ListedApproval, 'action' | 'params' | 'body'>): string {
  const sent = (body ?? {}) as Record<string, unknown>;
  return (REQUESTS[action] ?? action).replace(
    /:(\w+)/g,
    (_, name: string) => params[name] ?? valueText(name, sent[name]),
  );
}

export const proposerText = (proposal: Pick<ListedApproval, 'proposed_by' | 'proposed_by_name'>): string =>
  actorText(proposal.proposed_by, proposal.proposed_by_name);

const FIELDS: Record<string, string> = {
  ...{ slash_usd: 'slash', order_id: 'order', lp_id: 'LP', expires_at: 'valid until' },
  ...{ allowed_ips: 'allowed addresses', overlap: 'the old key stays valid for' },
};

/** A field of a request, such as `Slash`. */
export function fieldWords(name: string): string {
  const words = FIELDS[name] ?? wordsFor(name);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const AMOUNTS = ['amount', 'slash_usd'];

/** The value of a field of a request. */
export function valueText(name: string, value: unknown): string {
  if (value === null || value === undefined) return 'none';
  if (AMOUNTS.includes(name)) return formatUsd(Number(value));
  return Array.isArray(value) ? value.join(', ') : String(value);
}
