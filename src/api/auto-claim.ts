import { ok } from '../contract/answers.ts';
import { autoClaimRequest } from '../contract/auto-claim.ts';
import { setAutoClaim } from '../db/commands/set-auto-claim.ts';
import { DomainError } from '../domain/errors.ts';
import { offerOpenOrders } from '../orders/offers.ts';
import type { ApiDeps } from './deps.ts';
import { type Route, route } from './route.ts';

/** Contract: "POST /api/lp/{lp_key}/auto-claim". */
export const autoClaimRoutes = ({ db, gateway, log, settings }: ApiDeps): Route[] => [
  route({
    method: 'post',
    path: '/api/lp/:lp_key/auto-claim',
    auth: 'lp',
    summary: 'Have orders claimed without asking each time',
    description:
      'Replaces the configuration as a whole. Holds for new orders at once, and for those that are open when it is switched on, or when the LP becomes able to take them.',
    answers: { 200: ok },
    refuses: [],
    keyLimit: { name: 'auto-claim', max: settings.autoClaimRateLimit },
    body: autoClaimRequest,
    handle: async ({ principal: lp, body }) => {
      // Known to be away: the open orders could not be offered. Switching off needs nobody.
      if (body.enabled && !(await gateway.isReachable())) {
        throw new DomainError('unavailable', undefined, { retryAfter: 2 });
      }
      await setAutoClaim(db, lp.id, body);
      if (body.enabled) {
        offerOpenOrders({ db, gateway, strikeCoolDown: settings.strikeCoolDown }, lp.id).catch((error) =>
          log.warn({ err: error, lpId: lp.id }, 'open orders were not all offered; the reconciler will'),
        );
      }
      return { status: 200, body: { ok: true } };
    },
  }),
];
