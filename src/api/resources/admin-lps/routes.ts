import { withReason } from '../../../db/audit-context.ts';
import { Lp } from '../../../db/entities/lp.ts';
import { afterCursor, pageOptions } from '../../../db/pages.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { LpStatus } from '../../../domain/lp-status.ts';
import { changeLp } from '../../../market/lps/change-lp.ts';
import { forgiveLp } from '../../../market/lps/forgive-lp.ts';
import type { ApiDeps } from '../../deps.ts';
import { idFrom } from '../../pipeline/validate.ts';
import { type Route, route } from '../../route.ts';
import type { RouteContract } from '../../route-contract.ts';
import { auditReason } from '../../schemas/audit-reason.ts';
import { pageOf } from '../../schemas/pages.ts';
import { forgiveRequest, type ListedLp, listedLp, lpPage, lpQuery, tierRequest } from './schemas.ts';
import { adminLpViews } from './view.ts';

interface StatusRoute extends Pick<RouteContract, 'summary' | 'description' | 'refuses'> {
  verb: string;
  status: LpStatus;
}

/** Admins approve and suspend LPs, set their tiers and forgive their strikes. */
export function adminLpRoutes({ db, settings }: ApiDeps): Route[] {
  return [
    route({
      method: 'get',
      path: '/api/admin/lps',
      auth: 'admin',
      summary: 'List the liquidity providers, newest first',
      answers: { 200: lpPage },
      refuses: [],
      query: lpQuery,
      handle: async ({ query }) => {
        const where = { ...afterCursor(query), ...(query.status ? { status: query.status } : {}) };
        const rows = await db.em().find(Lp, where, pageOptions(query));
        const { page, next_cursor } = pageOf(rows, query);
        return { status: 200, body: { lps: await views(page), next_cursor } };
      },
    }),
    statusRoute({
      ...{ verb: 'approve', status: 'approved', refuses: ['not_found', 'address_taken'] },
      summary: 'Approve a liquidity provider, so that it is quoted and can claim',
      description:
        'The LP gets the receive addresses that it has registered, unless one of them belongs to another LP.',
    }),
    statusRoute({
      ...{ verb: 'suspend', status: 'suspended', refuses: ['not_found'] },
      summary: 'Suspend a liquidity provider: it gets no new orders and finishes those that it owns',
    }),
    route({
      method: 'post',
      path: '/api/admin/lps/:id/tier',
      auth: 'admin',
      permission: 'lps:manage',
      summary: 'Set the tier of a liquidity provider',
      description: 'Applies to later claims. Collateral that is already locked stays locked.',
      answers: { 200: listedLp },
      refuses: ['not_found'],
      body: tierRequest,
      handle: async ({ params, body }) => ({ status: 200, body: await change(params.id, body) }),
    }),
    route({
      method: 'post',
      path: '/api/admin/lps/:id/forgive',
      auth: 'admin',
      permission: 'lps:manage',
      summary: 'Forgive the strikes of a liquidity provider, and end its cool-down',
      description: 'Records the reason. Records nothing when the LP has no strike.',
      answers: { 200: listedLp },
      refuses: ['not_found'],
      body: forgiveRequest,
      handle: async ({ params, body }) => {
        const id = idFrom(params.id);
        if (!(await forgiveLp(db, id, body.reason))) throw new DomainError('not_found');
        return { status: 200, body: await viewOf(id) };
      },
    }),
  ];

  function statusRoute({ verb, status, ...described }: StatusRoute): Route {
    return route({
      method: 'post',
      path: `/api/admin/lps/:id/${verb}`,
      auth: 'admin',
      ...described,
      permission: 'lps:manage',
      answers: { 200: listedLp },
      body: auditReason,
      handle: async ({ params, body }) => ({
        status: 200,
        body: await withReason(body.reason, () => change(params.id, { status })),
      }),
    });
  }

  async function change(idText: string | undefined, changes: { status: LpStatus } | { tier: number }) {
    const id = idFrom(idText);
    if (!(await changeLp(db, id, changes))) throw new DomainError('not_found');
    return viewOf(id);
  }

  async function viewOf(id: number): Promise<ListedLp> {
    const [lp] = await views(await db.em().find(Lp, { id }));
    if (!lp) throw new DomainError('not_found');
    return lp;
  }

  function views(lps: Lp[]): Promise<ListedLp[]> {
    return adminLpViews(db, lps, settings.strikeCoolDown);
  }
}
