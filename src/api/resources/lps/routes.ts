import type { z } from 'zod';
import { hashKey, newLpKey } from '../../../http/access/keys.ts';
import { termsMethod } from '../../../market/corridors/terms-method.ts';
import { publicLps } from '../../../market/lps/public-lps.ts';
import { registerLp } from '../../../market/lps/register-lp.ts';
import { lpStandings, standingOf } from '../../../market/lps/standing.ts';
import { checkRates } from '../../../market/pricing/check-rates.ts';
import { onceASecond } from '../../../process/remembered.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Route, route } from '../../route.ts';
import { lpsResponse, registerRequest, registerResponse } from './schemas.ts';

/** LPs register, and any caller can list the approved ones. */
export function lpRoutes({ db, prices, delivery, settings }: ApiDeps): Route[] {
  // Anybody may ask, and the cost grows with the number of LPs.
  const list = onceASecond(listed);
  return [
    route({
      method: 'post',
      path: '/api/lp/register',
      auth: 'none',
      summary: 'Register a liquidity provider',
      answers: { 201: registerResponse },
      refuses: ['rate_off_reference'],
      clientLimit: { name: 'register', max: settings.limits.register },
      strangersCreate: true,
      body: registerRequest,
      handle: async ({ body }) => {
        await checkRates(prices, body.supported_currencies);
        const lp_key = newLpKey();
        const { lpId, userId } = await registerLp(db, {
          keyHash: hashKey(lp_key),
          xrplAddress: body.xrpl_address,
          mpesaPhone: body.mpesa_phone,
          displayName: body.display_name,
          spreadBps: body.spread_bps,
          status: settings.lpAutoApprove ? 'approved' : 'pending',
          rates: Object.entries(body.supported_currencies).map(([currency, rate_usd]) => ({
            currency,
            method: termsMethod(delivery.corridors, currency),
            rate_usd,
          })),
          validUntil: new Date(Date.now() + settings.rateValidFor),
        });
        return { status: 201, body: { lp_id: lpId, lp_key, user_id: userId } };
      },
    }),
    route({
      method: 'get',
      path: '/api/lps',
      auth: 'none',
      summary: 'List the approved LPs with their rates and assets',
      description: 'All callers within a second share one list.',
      answers: { 200: lpsResponse },
      refuses: [],
      isShared: true,
      handle: async () => ({ status: 200, body: { lps: await list() } }),
    }),
  ];

  async function listed(): Promise<z.output<typeof lpsResponse>['lps']> {
    await prices.refresh();
    const lps = await publicLps(db);
    const ids = lps.map(({ id }) => id);
    const standings = await lpStandings(db, ids, settings.strikeCoolDown);
    return lps.map((lp) => {
      const { cooling_down_until: _, ...record } = standingOf(standings, lp.id);
      const rates = lp.rates.map((rate) => ({ ...rate, rate_usd: Number(rate.rate_usd) }));
      return { ...lp, ...record, rates };
    });
  }
}
