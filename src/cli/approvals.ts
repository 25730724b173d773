import type { z } from 'zod';
import type { approvedResponse, rejectedResponse } from '../api/resources/approvals/schemas.ts';
import type { ListedApproval } from '../api/schemas/approvals.ts';
import { PAGES, page } from './cli.ts';
import { command } from './command.ts';
import { facts, tableOf } from './output.ts';

const PATH = '/api/admin/approvals';

/** The status, and whether the request still waits to be carried out or can no longer be. `now`: in milliseconds. */
export function statusOf(
  { status, carried_out_at, expires_at }: Pick<ListedApproval, 'status' | 'carried_out_at' | 'expires_at'>,
  now: number,
): string {
  if (status === 'rejected' || carried_out_at !== null) return status;
  const left = Date.parse(expires_at) <= now ? 'expired' : status === 'approved' ? 'not carried out' : '';
  return [status, left].filter(Boolean).join(', ');
}

const requestOf = ({ action, params }: ListedApproval): string =>
  action.replace(/:(\w+)/g, (_, name: string) => params[name] ?? '?');

const approvalFacts = (approval: ListedApproval): string =>
  facts({
    id: approval.id,
    request: requestOf(approval),
    body: JSON.stringify(approval.body),
    'dry run': approval.preview && JSON.stringify(approval.preview),
    status: statusOf(approval, Date.now()),
    'proposed by': approval.proposed_by,
    'decided by': approval.decided_by,
  });

const approvalTable = tableOf<ListedApproval>({
  id: 'id',
  status: (approval) => statusOf(approval, Date.now()),
  request: requestOf,
  body: ({ body }) => JSON.stringify(body),
  'dry run': ({ preview }) => preview && JSON.stringify(preview),
  ...{ 'proposed by': 'proposed_by', 'expires (UTC)': 'expires_at', 'decided by': 'decided_by' },
});

/** `approvals`: what admins have proposed, and the decisions of others. */
export const APPROVAL_COMMANDS = [
  command('approvals list', 'proposals, newest first', {
    call: `GET ${PATH}`,
    options: { ...PAGES, '--status <status>': 'proposed, approved or rejected' },
    print: page('approvals', approvalTable),
  }),
  command('approvals approve <id>', 'carry out what another admin has proposed', {
    call: `POST ${PATH}/:id/approve`,
    print: ({ approval, result }: z.output<typeof approvedResponse>) =>
      `${approvalFacts(approval)}\n\n${JSON.stringify(result)}`,
  }),
  command('approvals reject <id>', 'reject a proposal, or withdraw your own', {
    call: `POST ${PATH}/:id/reject`,
    print: ({ approval }: z.output<typeof rejectedResponse>) => approvalFacts(approval),
  }),
];
