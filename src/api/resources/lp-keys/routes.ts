import { hashKey, newLpKey, SHOWN_ONCE } from '../../../http/access/keys.ts';
import { rotateLpKey } from '../../../http/access/rotate-lp-key.ts';
import type { ApiDeps } from '../../deps.ts';
import { idFrom } from '../../pipeline/validate.ts';
import { type Route, route } from '../../route.ts';
import { type RotateLpResponse, rotateLpRequest, rotateLpResponse } from './schemas.ts';

const DESCRIPTION =
  'The old secret stays valid for the overlap. If the response is lost, rotate the key again.';

/** LPs rotate their own secret. Admins rotate the secret of an LP that lost it or from which it was stolen. */
export function lpKeyRoutes({ db, settings }: ApiDeps): Route[] {
  return [
    route({
      method: 'post',
      path: '/api/lp/:lp_key/rotate',
      auth: 'lp',
      summary: 'Rotate the LP’s own secret',
      description: DESCRIPTION,
      answers: { 201: rotateLpResponse },
      refuses: [],
      inTurn: true,
      keyLimit: { name: 'lp-account', max: settings.limits.account },
      body: rotateLpRequest,
      handle: async ({ principal: lp, body }) => ({ status: 201, body: await rotate(lp.id, body.overlap) }),
    }),
    route({
      method: 'post',
      path: '/api/admin/lps/:id/rotate',
      auth: 'admin',
      permission: 'lps:manage',
      summary: 'Rotate the secret of a liquidity provider',
      description: DESCRIPTION,
      answers: { 201: rotateLpResponse },
      refuses: ['not_found'],
      body: rotateLpRequest,
      handle: async ({ params, body }) => ({
        status: 201,
        body: await rotate(idFrom(params.id), body.overlap),
      }),
    }),
  ];

  async function rotate(lp_id: number, overlapMs: number): Promise<RotateLpResponse> {
    const lp_key = newLpKey();
    const old_key_expires_at = await rotateLpKey(db, lp_id, hashKey(lp_key), overlapMs);
    return { lp_id, lp_key, warning: SHOWN_ONCE, old_key_expires_at };
  }
}
