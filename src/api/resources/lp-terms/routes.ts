import { termsMethod } from '../../../corridors/terms-method.ts';
import { invalidField } from '../../../domain/errors.ts';
import { publishTerms, setQuoting } from '../../../lps/publish-terms.ts';
import { registerAsset } from '../../../lps/register-asset.ts';
import { readReceiveAddress } from '../../../pricing/receive-address.ts';
import { termsWithReasons } from '../../../pricing/unquoted-terms.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Route, route } from '../../route.ts';
import { ok } from '../../schemas/response-fields.ts';
import { readRate } from './read-rate.ts';
import {
  assetRequest,
  changedTermsResponse,
  rateRequest,
  rateResponse,
  termsRequest,
  termsResponse,
} from './schemas.ts';
import { explainedView } from './view.ts';

/** The terms that an LP publishes, and the tokens that it takes. */
export const lpTermRoutes = ({ db, chains, prices, delivery, settings, log }: ApiDeps): Route[] => [
  route({
    method: 'post',
    path: '/api/lp/:lp_key/terms',
    auth: 'lp',
    summary: 'Publish or change terms',
    description:
      'The LP’s terms for a corridor: a currency and a method. A missing field stays as it is. A rate holds for `valid_for` seconds; after that Corridor neither quotes it nor uses it for automatic claims.',
    answers: { 200: changedTermsResponse },
    refuses: ['rate_off_reference', 'float_changed'],
    body: termsRequest,
    handle: async ({ principal: lp, body }) => {
      const { currency, method: given, rate_usd, offset_bps, valid_for, ...change } = body;
      const { quoting, ...others } = change;
      const isOfCurrency =
        given === undefined &&
        quoting !== undefined &&
        [rate_usd, offset_bps, ...Object.values(others)].every((value) => value === undefined);
      const method = isOfCurrency ? undefined : termsMethod(delivery.corridors, currency, given);
      if (method === undefined) {
        if (!(await setQuoting(db, lp.id, currency, quoting === true)))
          throw invalidField('currency', `You have no terms in ${currency}: publish rate_usd or offset_bps`);
      } else {
        const rate = await readRate({ prices, settings }, body);
        await publishTerms(db, { lpId: lp.id, currency, method }, { ...change, rate });
      }
      const terms = await termsWithReasons({ db, prices, settings }, lp.id, { currency, method });
      return { status: 200, body: { ok: true, terms: terms.map(explainedView) } };
    },
  }),
  route({
    method: 'get',
    path: '/api/lp/:lp_key/terms',
    auth: 'lp',
    summary: 'List all terms',
    answers: { 200: termsResponse },
    refuses: [],
    handle: async ({ principal: lp }) => {
      const terms = await termsWithReasons({ db, prices, settings }, lp.id);
      return { status: 200, body: { terms: terms.map(explainedView) } };
    },
  }),
  route({
    method: 'post',
    path: '/api/lp/:lp_key/rates',
    auth: 'lp',
    summary: 'Publish a rate',
    description:
      'The short form of `POST /api/lp/{lp_key}/terms`: a fixed rate for the default method of the currency, for RATE_VALID_FOR (24 hours unless the operator changed it).',
    answers: { 200: rateResponse },
    refuses: ['rate_off_reference'],
    body: rateRequest,
    handle: async ({ principal: lp, body }) => {
      const { currency } = body;
      const method = termsMethod(delivery.corridors, currency);
      const rate = await readRate({ prices, settings }, body);
      await publishTerms(db, { lpId: lp.id, currency, method }, { rate });
      const [terms] = await termsWithReasons({ db, prices, settings }, lp.id, { currency, method });
      return { status: 200, body: { ok: true, not_quoted: terms?.not_quoted ?? null } };
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
