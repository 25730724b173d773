import type { z } from 'zod';
import type { approvalPage } from '../../../src/api/resources/approvals/schemas.ts';
import type { ListedApproval } from '../../../src/api/schemas/approvals.ts';
import { PERMISSIONS, rolesWith } from '../../../src/domain/permissions.ts';
import { now } from '../clock.ts';
import { readFilters, useList } from '../list-resource.ts';
import { linkTo, type Route } from '../route.ts';
import { isPermitted, session } from '../session.ts';
import { Badge } from '../ui/badge.tsx';
import { Filters } from '../ui/filters.tsx';
import { Paging } from '../ui/paging.tsx';
import { ResourceView } from '../ui/states.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { useDialog } from '../ui/use-dialog.ts';
import { APPROVALS_PATH, ApproveDialog, RejectDialog } from './approval-dialogs.tsx';
import { actorText } from './audit-words.ts';
import { ProposalDetails } from './proposal.tsx';
import { proposerText, requestWords } from './proposal-words.ts';
import { type NewSecret, SecretDialog } from './secret-dialog.tsx';

const PATH = 'approvals';
const STATUSES: readonly ListedApproval['status'][] = ['proposed', 'approved', 'rejected'];

type OpenDialog =
  | { name: 'approve' | 'reject'; proposal: ListedApproval }
  | { name: 'secret'; secret: NewSecret };

/** What admins have proposed, with `APPROVALS=on`, and the decisions of others. */
export function Approvals({ route }: { route: Route }) {
  const filters = readFilters(route, ['status', 'cursor']);
  const page = useList<z.output<typeof approvalPage>>(APPROVALS_PATH, filters);
  const { current, open, opener, close } = useDialog<OpenDialog>();
  const actions: Column<ListedApproval> = {
    title: 'Actions',
    kind: 'actions',
    cell: (proposal) => <Actions proposal={proposal} opener={opener} />,
  };
  return (
    <>
      <Filters
        path={PATH}
        filters={[{ name: 'status', label: 'Status', values: STATUSES }]}
        values={filters}
      />
      <ResourceView resource={page} what="the proposals">
        {({ approvals, next_cursor }) => (
          <>
            <Table
              caption="Proposals, newest first"
              columns={[...COLUMNS, actions]}
              rows={approvals}
              keyOf={({ id }) => id}
              empty="No proposals match. With APPROVALS=on, what needs a second admin waits here for 24 hours."
            />
            <Paging path={PATH} route={route} filters={filters} next={next_cursor} />
          </>
        )}
      </ResourceView>
      {current?.name === 'approve' && (
        <ApproveDialog
          proposal={current.proposal}
          close={close}
          reload={page.reload}
          onSecret={(secret) => open({ name: 'secret', secret })}
        />
      )}
      {current?.name === 'reject' && (
        <RejectDialog
          proposal={current.proposal}
          close={close}
          reload={page.reload}
          isOwn={isMine(current.proposal.proposed_by)}
        />
      )}
      {current?.name === 'secret' && <SecretDialog secret={current.secret} close={close} />}
    </>
  );
}

const isMine = (actor: string | null): boolean => session.value?.owner === actor;
const isOver = ({ expires_at }: ListedApproval): boolean => Date.parse(expires_at) <= now.value;

/** What the signed-in admin may do with a proposal, or why nothing. */
function Actions({
  proposal,
  opener,
}: {
  proposal: ListedApproval;
  opener: (next: OpenDialog) => () => void;
}) {
  const { id, status, permission, proposed_by, decided_by, carried_out_at } = proposal;
  if (isOver(proposal) || status === 'rejected' || carried_out_at !== null) return null;
  const isOpen = status === 'proposed';
  const own = isMine(proposed_by);
  const permitted = permission !== null && isPermitted(permission);
  if (!permitted && !own) return permission && <Missing permission={permission} />;
  return (
    <span class="row">
      {own && isOpen && <small>Another admin must approve it.</small>}
      {!own && (isOpen || isMine(decided_by)) && (
        <button
          type="button"
          class="primary"
          onClick={opener({ name: 'approve', proposal })}
          aria-label={`${isOpen ? 'Approve' : 'Approve again'}: proposal ${id}`}
        >
          {isOpen ? 'Approve' : 'Approve again'}
        </button>
      )}
      <button
        type="button"
        class="danger"
        onClick={opener({ name: 'reject', proposal })}
        aria-label={`${own ? 'Withdraw' : 'Reject'} proposal ${id}`}
      >
        {own ? 'Withdraw' : 'Reject'}
      </button>
    </span>
  );
}

const Missing = ({ permission }: { permission: NonNullable<ListedApproval['permission']> }) => (
  <small title={`Your role may not ${PERMISSIONS[permission]}`}>
    Waits for an admin with the role {rolesWith(permission).join(' or ')}.
  </small>
);

const COLUMNS: Column<ListedApproval>[] = [
  {
    title: 'Proposal',
    cell: ({ id, created_at }) => (
      <span>
        {id}
        <small class="second">
          <Time at={created_at} />
        </small>
      </span>
    ),
  },
  {
    title: 'What, dry run',
    cell: (proposal) => (
      <details>
        <summary>{requestWords(proposal)}</summary>
        <ProposalDetails proposal={proposal} />
      </details>
    ),
  },
  {
    title: 'Proposed by',
    cell: (proposal) => (
      <a href={linkTo('audit', { actor: proposal.proposed_by })} title="Show all that this person did">
        {proposerText(proposal)}
      </a>
    ),
  },
  { title: 'State', cell: State },
];

/** Until when a proposal waits, or how it ended. */
function State(proposal: ListedApproval) {
  const { status, expires_at, decided_by, decided_by_name, decided_at, carried_out_at } = proposal;
  if (status === 'proposed')
    return (
      <span>
        <Badge status={isOver(proposal) ? 'expired' : status} />
        <small class="second">
          {isOver(proposal) ? 'since' : 'until'} <Time at={expires_at} />
        </small>
      </span>
    );
  return (
    <span>
      <Badge status={status} />
      <small class="second">
        by {actorText(decided_by ?? '', decided_by_name)}, {decided_at && <Time at={decided_at} />}
      </small>
      {status === 'approved' && carried_out_at === null && <small class="second loss">not carried out</small>}
    </span>
  );
}
