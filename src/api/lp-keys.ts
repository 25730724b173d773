import { type RotateLpResponse, rotateLpRequest, rotateLpResponse } from '../contract/lps.ts';
import { rotateLpKey } from '../db/commands/rotate-lp-key.ts';
import { hashKey, newLpKey, SHOWN_ONCE } from '../keys.ts';
import type { ApiDeps } from './deps.ts';
import { type Route, route } from './route.ts';
import { idFrom } from './validate.ts';

const DESCRIPTION =
  'The LP keeps its id, its orders and its collateral. The old secret stays valid for the overlap, so that the LP can change over without a pause. The oldest that is still valid stays, too, until its own overlap ends, but no longer than this one: after an answer that got lost, the key can be rotated again. Sockets that are open stay open.';

/** New secrets for LPs: by themselves, and by an admin for those that have lost theirs or had it stolen. */
export function lpKeyRoutes({ db }: ApiDeps): Route[] {
  return [
    route({
      method: 'post',
      path: '/api/lp/:lp_key/rotate',
      auth: 'lp',
      summary: 'Get a new secret',
      description: DESCRIPTION,
      answers: { 201: rotateLpResponse },
      refuses: [],
      body: rotateLpRequest,
      handle: async ({ principal: lp, body }) => ({ status: 201, body: await rotate(lp.id, body.overlap) }),
    }),
    route({
      method: 'post',
      path: '/api/admin/lps/:id/rotate',
      auth: 'admin',
      summary: 'Give a liquidity provider a new secret',
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
