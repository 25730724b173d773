import { Approval } from '../../../db/entities/approval.ts';
import { afterCursor, pageOptions } from '../../../db/pages.ts';
import { DomainError } from '../../../domain/errors.ts';
import { ROLES, type Role, rolesWith } from '../../../domain/permissions.ts';
import { adminActor, type KnownAdmin } from '../../../http/access/find-admin.ts';
import { findOrder } from '../../../orders/find-order.ts';
import { approve, carryOutApproved, findApproval, namesOf, reject } from '../../approvals/approvals.ts';
import type { ApiDeps } from '../../deps.ts';
import { orderIdIn, requireOrder } from '../../pipeline/load-order.ts';
import { admit, permissionOf } from '../../pipeline/permission.ts';
import { actionOf } from '../../pipeline/propose.ts';
import { idFrom, validate, validateBody } from '../../pipeline/validate.ts';
import { type Route, type RouteRequest, route } from '../../route.ts';
import type { Auth } from '../../route-contract.ts';
import { approvalView, type ListedApproval } from '../../schemas/approvals.ts';
import { pageOf } from '../../schemas/pages.ts';
import { approvalPage, approvalQuery, approvedResponse, rejectedResponse } from './schemas.ts';

type Request = RouteRequest<Auth, unknown>;

/** The roles that may make the request of a route. */
function rolesFor(proposed: Route): readonly Role[] {
  const permission = permissionOf(proposed);
  return permission ? rolesWith(permission) : ROLES;
}

/** Adds the routes by which a second admin decides about requests of the other routes. */
export function withApprovals(routes: Route[], { db }: Pick<ApiDeps, 'db'>): Route[] {
  const byAction = new Map(routes.filter(({ approval }) => approval).map((one) => [actionOf(one), one]));
  return [
    ...routes,
    route({
      method: 'get',
      path: '/api/admin/approvals',
      auth: 'admin',
      summary: 'List what admins have proposed, newest first',
      answers: { 200: approvalPage },
      refuses: [],
      query: approvalQuery,
      handle: async ({ query }) => {
        const where = { ...afterCursor(query), ...(query.status ? { status: query.status } : {}) };
        const { page, next_cursor } = pageOf(await db.em().find(Approval, where, pageOptions(query)), query);
        return { status: 200, body: { approvals: await viewsOf(page), next_cursor } };
      },
    }),
    route({
      method: 'post',
      path: '/api/admin/approvals/:id/approve',
      auth: 'admin',
      permission: 'read',
      summary: 'Approve a proposal of another admin, and carry it out',
      description:
        'Your role needs the permission of the proposed request. If Corridor cannot carry it out now (503), approve it again.',
      answers: { 200: approvedResponse },
      refuses: ['not_found', 'own_proposal', 'approval_decided', 'permission_missing', 'wrong_state'],
      handle: async ({ params, principal, ...request }) => {
        const proposed = routeOf(await findApproval(db, idFrom(params.id)));
        admit(proposed, principal);
        const approval = await approve(db, idFrom(params.id), adminActor(principal), rolesFor(proposed));
        const reply = await carryOutApproved(db, approval, async () =>
          proposed.handle((await requestOf(proposed, approval, principal, request)) as never),
        );
        if (!('body' in reply)) throw new Error(`${approval.action} does not answer with JSON`);
        const result = reply.body as Record<string, unknown>;
        return { status: 200, body: { approval: await viewOf(approval.id), result } };
      },
    }),
    route({
      method: 'post',
      path: '/api/admin/approvals/:id/reject',
      auth: 'admin',
      permission: 'read',
      summary: 'Reject a proposal, or withdraw your own',
      description:
        'To reject another admin’s proposal, your role needs the permission of the proposed request.',
      answers: { 200: rejectedResponse },
      refuses: ['not_found', 'approval_decided', 'permission_missing'],
      handle: async ({ params, principal }) => {
        const proposal = await findApproval(db, idFrom(params.id));
        if (proposal.proposed_by !== adminActor(principal)) admit(routeOf(proposal), principal);
        const { id } = await reject(db, proposal.id, adminActor(principal));
        return { status: 200, body: { approval: await viewOf(id) } };
      },
    }),
  ];

  function routeOf({ action }: Approval): Route {
    const found = byAction.get(action);
    if (!found)
      throw new DomainError('approval_decided', `No route of this release is ${action}: propose it again`);
    return found;
  }

  async function viewsOf(approvals: Approval[]): Promise<ListedApproval[]> {
    const names = await namesOf(db, approvals);
    return approvals.map((one) => {
      const proposed = byAction.get(one.action);
      return approvalView(one, proposed ? permissionOf(proposed) : null, names);
    });
  }

  async function viewOf(id: number): Promise<ListedApproval> {
    const [view] = await viewsOf([await findApproval(db, id)]);
    if (!view) throw new Error('One proposal has one view');
    return view;
  }

  /** The proposed request, as the approver's own. It is checked again, because a release may lie between the two. */
  async function requestOf(
    proposed: Route,
    { params, query, body, idempotency_key }: Approval,
    principal: KnownAdmin,
    { session, headers, incoming, log }: Pick<Request, 'session' | 'headers' | 'incoming' | 'log'>,
  ): Promise<Request> {
    const orderId = orderIdIn(proposed, params);
    const order = orderId === null ? null : ((await findOrder(db, orderId)) ?? null);
    return {
      ...{ principal, session, params, incoming, log },
      order: requireOrder(proposed, principal, order),
      query: proposed.query ? validate(proposed.query, query) : {},
      body: proposed.body ? validateBody(proposed.body, body) : undefined,
      // The header has two spellings, and the approver's own must not count in either.
      headers: { ...headers, 'idempotency-key': idempotency_key ?? undefined, idempotency_key: undefined },
    };
  }
}
