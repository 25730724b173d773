import {
  forgiveRequest,
  type ListedLp,
  listedLp,
  lpPage,
  lpQuery,
  tierRequest,
} from '../contract/admin-lps.ts';
import { pageOf } from '../contract/pages.ts';
import { changeLp } from '../db/commands/change-lp.ts';
import { forgiveLp } from '../db/commands/forgive-lp.ts';
import { Lp } from '../db/entities/lp.ts';
import { listedLps } from '../db/queries/listed-lps.ts';
import { afterCursor, pageOptions } from '../db/queries/pages.ts';
import { DomainError } from '../domain/errors.ts';
import type { LpStatus } from '../domain/lp-status.ts';
import type { ApiDeps } from './deps.ts';
import { type Route, route } from './route.ts';
import { idFrom } from './validate.ts';

/** Who may provide liquidity, and with how much collateral. */
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
        return { status: 200, body: { lps: await listed(page), next_cursor } };
      },
    }),
    statusRoute('approve', 'approved', 'Let a liquidity provider be quoted and claim'),
    statusRoute(
      'suspend',
      'suspended',
      'Keep a liquidity provider from new orders; it finishes those that it owns',
    ),
    route({
      method: 'post',
      path: '/api/admin/lps/:id/tier',
      auth: 'admin',
      summary: 'Set the tier of a liquidity provider',
      description: 'Counts for orders claimed from now on; what is locked stays locked.',
      answers: { 200: listedLp },
      refuses: ['not_found'],
      body: tierRequest,
      handle: async ({ params, body }) => ({ status: 200, body: await change(params.id, body) }),
    }),
    route({
      method: 'post',
      path: '/api/admin/lps/:id/forgive',
      auth: 'admin',
      summary: 'Forgive a liquidity provider its strikes, and end its cool-down',
      description: 'On the record, with the reason. Without a strike nothing is recorded.',
      answers: { 200: listedLp },
      refuses: ['not_found'],
      body: forgiveRequest,
      handle: async ({ params, body }) => {
        const id = idFrom(params.id);
        if (!(await forgiveLp(db, id, body.reason))) throw new DomainError('not_found');
        return { status: 200, body: await existing(id) };
      },
    }),
  ];

  function statusRoute(verb: string, status: LpStatus, summary: string): Route {
    return route({
      method: 'post',
      path: `/api/admin/lps/:id/${verb}`,
      auth: 'admin',
      summary,
      answers: { 200: listedLp },
      refuses: ['not_found'],
      handle: async ({ params }) => ({ status: 200, body: await change(params.id, { status }) }),
    });
  }

  async function change(idText: string | undefined, changes: { status: LpStatus } | { tier: number }) {
    const id = idFrom(idText);
    if (!(await changeLp(db, id, changes))) throw new DomainError('not_found');
    return existing(id);
  }

  async function existing(id: number): Promise<ListedLp> {
    const [lp] = await listed(await db.em().find(Lp, { id }));
    if (!lp) throw new DomainError('not_found');
    return lp;
  }

  function listed(lps: Lp[]): Promise<ListedLp[]> {
    return listedLps(db, lps, settings.strikeCoolDown);
  }
}
