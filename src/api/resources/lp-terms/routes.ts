import { publishRate, registerAsset } from '../../../lps/publish-terms.ts';
import { checkRates } from '../../../pricing/check-rates.ts';
import { readReceiveAddress } from '../../../pricing/receive-address.ts';
import { unquotedRates } from '../../../pricing/unquoted-rates.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Route, route } from '../../route.ts';
import { ok } from '../../schemas/response-fields.ts';
import { assetRequest, rateRequest, rateResponse } from './schemas.ts';

/** The terms that an LP publishes: its rates, and the tokens that it takes. */
export const lpTermRoutes = ({ db, chains, prices, settings, log }: ApiDeps): Route[] => [
  route({
    method: 'post',
    path: '/api/lp/:lp_key/rates',
    auth: 'lp',
    summary: 'Publish a rate',
    answers: { 200: rateResponse },
    refuses: ['rate_off_reference'],
    body: rateRequest,
    handle: async ({ principal: lp, body }) => {
      await checkRates(prices, { [body.currency]: body.rate_usd });
      await publishRate(db, lp.id, body);
      const unquoted = await unquotedRates({ db, prices, settings }, lp.id, [body.currency]);
      return { status: 200, body: { ok: true, not_quoted: unquoted.get(body.currency) ?? null } };
    },
  }),
  route({
    method: 'post',
    path: '/api/lp/:lp_key/assets',
    auth: 'lp',
    summary: 'Register a crypto receive address',
    answers: { 201: ok },
    refuses: ['asset_not_accepted', 'address_taken'],
    body: assetRequest,
    handle: async ({ principal: lp, body }) => {
      const { symbol, chain } = body;
      const { address, destinationTag } = await readReceiveAddress({ chains, log }, body);
      await registerAsset(db, lp.id, { symbol, chain, address, destinationTag });
      return { status: 201, body: { ok: true } };
    },
  }),
];
