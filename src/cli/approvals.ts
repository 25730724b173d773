import type { Command } from 'commander';
import type { z } from 'zod';
import type { approvalPage, approvedResponse, rejectedResponse } from '../api/resources/approvals/schemas.ts';
import type { ListedApproval } from '../api/schemas/approvals.ts';
import { type Cli, idArgument, type PageOptions, paged, pathWith, withPages } from './cli.ts';
import { facts, minute, table } from './output.ts';

const PATH = '/api/admin/approvals';

/** `approvals`: what admins have proposed, and the decisions of others. */
export function addApprovalCommands(program: Command, { call, show }: Cli): void {
  const approvals = program.command('approvals').description('requests that need a second admin');

  withPages(approvals.command('list'))
    .description('proposals, newest first')
    .option('--status <status>', 'proposed, approved or rejected')
    .action(async ({ limit, cursor, status }: PageOptions & { status?: string }) => {
      const page = await call<z.output<typeof approvalPage>>(
        'GET',
        pathWith(PATH, { status, limit, cursor }),
      );
      show(page, (found) => paged(approvalTable(found.approvals), found.next_cursor));
    });

  approvals
    .command('approve')
    .description('carry out what another admin has proposed')
    .argument('<id>', 'the proposal', idArgument)
    .action(async (id: number) => {
      const done = await call<z.output<typeof approvedResponse>>('POST', `${PATH}/${id}/approve`);
      show(done, ({ approval, result }) => `${approvalFacts(approval)}\n\n${JSON.stringify(result)}`);
    });

  approvals
    .command('reject')
    .description('reject a proposal, or withdraw your own')
    .argument('<id>', 'the proposal', idArgument)
    .action(async (id: number) => {
      const done = await call<z.output<typeof rejectedResponse>>('POST', `${PATH}/${id}/reject`);
      show(done, ({ approval }) => approvalFacts(approval));
    });
}

/** The status, and whether the request still waits to be carried out or can no longer be. `now`: in milliseconds. */
export function statusOf(
  { status, carried_out_at, expires_at }: Pick<ListedApproval, 'status' | 'carried_out_at' | 'expires_at'>,
  now: number,
): string {
  if (status === 'rejected' || carried_out_at !== null) return status;
  const left = Date.parse(expires_at) <= now ? 'expired' : status === 'approved' ? 'not carried out' : '';
  return [status, left].filter(Boolean).join(', ');
}

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

const approvalTable = (approvals: ListedApproval[]): string =>
  table(approvals, {
    id: ({ id }) => id,
    status: (approval) => statusOf(approval, Date.now()),
    request: requestOf,
    body: ({ body }) => JSON.stringify(body),
    'dry run': ({ preview }) => preview && JSON.stringify(preview),
    'proposed by': ({ proposed_by }) => proposed_by,
    'expires (UTC)': ({ expires_at }) => minute(expires_at),
    'decided by': ({ decided_by }) => decided_by,
  });

const requestOf = ({ action, params }: ListedApproval): string =>
  action.replace(/:(\w+)/g, (_, name: string) => params[name] ?? '?');
