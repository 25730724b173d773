import { Approval } from '../../db/entities/approval.ts';
import type { Database } from '../../db/orm.ts';
import { run, statement } from '../../db/statement.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Role } from '../../domain/permissions.ts';
import { isProposer, proposerMay } from './proposer.ts';

/** A request as its proposer sent it. */
export type ProposedRequest = Pick<
  Approval,
  'action' | 'params' | 'query' | 'body' | 'idempotency_key' | 'preview' | 'proposed_by'
>;

const PROPOSE = statement(
  'approval-propose',
  `insert into approval (action, params, query, body, idempotency_key, preview, proposed_by, expires_at)
  values ($action, $params, $query, $body, $idempotencyKey, $preview, $proposedBy, now() + interval '24 hours')
  returning id`,
);

/** Keeps a request until another admin decides about it. */
export async function propose(db: Database, request: ProposedRequest): Promise<Approval> {
  const { action, params, query, body, idempotency_key, preview, proposed_by } = request;
  const [made] = await run<{ id: number }>(db, PROPOSE, {
    ...{ action, params, query: JSON.stringify(query), body: JSON.stringify(body ?? {}) },
    ...{ idempotencyKey: idempotency_key ?? null, preview: preview ?? null, proposedBy: proposed_by },
  });
  return db.em().findOneOrFail(Approval, { id: made?.id ?? 0 });
}

/**
 * SQL: an approved request that was not carried out, because a process died, a service was away or the request was refused.
 * It may be approved again, or rejected. One attempt at a time: a request may take as long as its order's workflow.
 */
const FAILED = `status = 'approved' and carried_out_at is null and (attempt_until is null or attempt_until < now())`;
const APPROVE = statement(
  'approval-approve',
  `update approval set status = 'approved', decided_by = $admin, decided_at = now(), attempt_until = now() + interval '1 minute'
  where id = $id and not ${isProposer('$admin')} and expires_at > now() and (
    status = 'proposed'
    or ${FAILED} and decided_by = $admin
  ) and ${proposerMay('$roles')}
  returning id`,
);
const PROPOSER = statement(
  'approval-proposer',
  `select ${isProposer('$admin')} as "isOwn", ${proposerMay('$roles')} as "isAllowed" from approval where id = $id`,
);
/** SQL: a posting that was recorded, although the process died before it noted that here. */
const IS_POSTED = `action like 'POST /api/admin/ledger/%' and exists (
  select from admin_posting where admin_posting.idempotency_key = approval.idempotency_key
)`;
const REJECT = statement(
  'approval-reject',
  `update approval set status = 'rejected', decided_by = $admin, decided_at = now()
  where id = $id and (status = 'proposed' or ${FAILED} and not (${IS_POSTED})) returning id`,
);

/**
 * Approves a proposal for another admin than its proposer. Two admins who decide at the same time: one wins.
 * `roles`: those that may make the request. Throws `not_found`, `own_proposal`, or `approval_decided` if the proposal has
 * expired, has a decision, or if its proposer may no longer make the request.
 */
export async function approve(
  db: Database,
  id: number,
  admin: string,
  roles: readonly Role[],
): Promise<Approval> {
  const [decided] = await run<{ id: number }>(db, APPROVE, { id, admin, roles });
  const approval = await findApproval(db, id);
  if (decided) return approval;
  const [proposer] = await run<{ isOwn: boolean; isAllowed: boolean }>(db, PROPOSER, { id, admin, roles });
  if (approval.status === 'proposed' && proposer?.isOwn) throw new DomainError('own_proposal');
  if (isUndone(approval) && proposer?.isAllowed === false)
    throw new DomainError(
      'approval_decided',
      'Nobody can approve this proposal: its proposer may no longer make this request. Propose it again',
    );
  throw decidedAlready(approval);
}

/** Whether nobody has rejected or carried out the request. */
const isUndone = ({ status, carried_out_at }: Approval): boolean => status !== 'rejected' && !carried_out_at;

const CARRIED_OUT = statement(
  'approval-carried-out',
  'update approval set carried_out_at = now(), attempt_until = null where id = $id',
);
const NOT_CARRIED_OUT = statement(
  'approval-not-carried-out',
  'update approval set attempt_until = null where id = $id',
);

/** Carries out an approved request, once. If that fails, its approver may approve it again. */
export async function carryOutApproved<Result>(
  db: Database,
  { id }: Approval,
  request: () => Promise<Result>,
): Promise<Result> {
  let result: Result;
  try {
    result = await request();
  } catch (error) {
    await run(db, NOT_CARRIED_OUT, { id });
    throw error;
  }
  await run(db, CARRIED_OUT, { id });
  return result;
}

/**
 * Rejects a proposal that was not carried out. Its proposer may withdraw it in the same way. Throws `not_found`, or
 * `approval_decided` if it is carried out, is being carried out, or was rejected, and for a posting that is in the ledger.
 */
export async function reject(db: Database, id: number, admin: string): Promise<Approval> {
  const [decided] = await run<{ id: number }>(db, REJECT, { id, admin });
  const approval = await findApproval(db, id);
  if (!decided) throw decidedAlready(approval);
  return approval;
}

const NAMES = `select 'admin:' || id as actor, name from admin where 'admin:' || id = any ($1::text[])`;

/** The names of the admins who have proposed and decided these, by actor, such as `admin:3`. `root` has none. */
export async function namesOf(db: Database, approvals: readonly Approval[]): Promise<Map<string, string>> {
  const actors = approvals.flatMap(({ proposed_by, decided_by }) => [proposed_by, decided_by ?? null]);
  const found = await db.query<{ actor: string; name: string }>('approval-names', NAMES, [actors]);
  return new Map(found.map(({ actor, name }) => [actor, name]));
}

const OPEN = `
  select count(*)::int as open from approval where (status = 'proposed' or ${FAILED}) and expires_at > now()`;

/** How many proposals wait for a decision, with those that can be approved again. */
export async function countOpenProposals(db: Database): Promise<number> {
  const [found] = await db.query<{ open: number }>('approvals-open', OPEN, []);
  return found?.open ?? 0;
}

/** Throws `not_found`. */
export async function findApproval(db: Database, id: number): Promise<Approval> {
  const approval = await db.em().findOne(Approval, { id });
  if (!approval) throw new DomainError('not_found');
  return approval;
}

function decidedAlready({ status, decided_by, attempt_until }: Approval): DomainError {
  const decision = `was ${status} by ${decided_by}${attempt_until ? ', and is being carried out' : ''}`;
  const what = status === 'proposed' ? 'has expired: propose it again' : decision;
  return new DomainError('approval_decided', `This proposal ${what}`);
}
