import { DomainError } from '../../../domain/errors.ts';
import { setAutoClaim } from '../../../market/lps/set-auto-claim.ts';
import { offerNewestOrders } from '../../../orders/offer-open-orders.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Route, route } from '../../route.ts';
import { ok } from '../../schemas/response-fields.ts';
import { autoClaimRequest } from './schemas.ts';

/** Contract: "POST /api/lp/{lp_key}/auto-claim". */
export const autoClaimRoutes = ({ db, gateway, log, settings }: ApiDeps): Route[] => [
  route({
    method: 'post',
    path: '/api/lp/:lp_key/auto-claim',
    auth: 'lp',
    summary: 'Configure auto-claim',
    description:
      'Corridor then claims matching orders for the LP, open ones too. Replaces the whole configuration.',
    answers: { 200: ok },
    refuses: [],
    keyLimit: { name: 'auto-claim', max: settings.limits.autoClaim },
    body: autoClaimRequest,
    handle: async ({ principal: lp, body }) => {
      // Without Temporal, Corridor cannot offer the open orders. Switching off needs only the database.
      if (body.enabled && !(await gateway.isReachable())) {
        throw new DomainError('unavailable', undefined, { retryAfter: 2 });
      }
      await setAutoClaim(db, lp.id, body);
      if (body.enabled) {
        offerNewestOrders({ db, gateway, strikeCoolDown: settings.strikeCoolDown }, lp.id).catch((error) =>
          log.warn(
            { err: error, lpId: lp.id },
            'could not offer all open orders; the reconciler will offer the rest',
          ),
        );
      }
      return { status: 200, body: { ok: true } };
    },
  }),
];
