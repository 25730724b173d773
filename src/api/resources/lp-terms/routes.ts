import { invalidField } from '../../../domain/errors.ts';
import { countNodeLookup } from '../../../http/access/node-lookups.ts';
import { isOffered, termsMethod } from '../../../market/corridors/terms-method.ts';
import { publishTerms, setQuoting } from '../../../market/lps/publish-terms.ts';
import { registerAsset } from '../../../market/lps/register-asset.ts';
import { termsOf } from '../../../market/lps/terms.ts';
import { readReceiveAddress } from '../../../market/pricing/receive-address.ts';
import { termsWithReasons } from '../../../market/pricing/unquoted-terms.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Route, route } from '../../route.ts';
import { refusingUnknown } from '../../schemas/request-fields.ts';
import { readRate } from './read-rate.ts';
import {
  assetRequest,
  assetResponse,
  changedTermsResponse,
  rateRequest,
  rateResponse,
  termsRequest,
  termsResponse,
} from './schemas.ts';
import { explainedView } from './view.ts';

/** The terms that an LP publishes, and the tokens that it takes. */
export function lpTermRoutes({ db, chains, prices, delivery, settings, log }: ApiDeps): Route[] {
  return [
    route({
      method: 'post',
      path: '/api/lp/:lp_key/terms',
      auth: 'lp',
      summary: 'Publish or change terms',
      description:
        'For a currency and a method. A missing field stays as it is. A rate holds for `valid_for` seconds.',
      answers: { 200: changedTermsResponse },
      refuses: ['rate_off_reference', 'float_changed'],
      keyLimit: { name: 'terms', max: settings.limits.terms },
      body: refusingUnknown(termsRequest),
      handle: async ({ principal: lp, body }) => {
        const { currency, method: given, rate_usd, offset_bps, valid_for, ...change } = body;
        const { quoting, ...others } = change;
        const isOnlyQuoting =
          quoting !== undefined &&
          [rate_usd, offset_bps, ...Object.values(others)].every((value) => value === undefined);
        const isStop = isOnlyQuoting && !quoting;
        const isOfCurrency = isOnlyQuoting && given === undefined;
        const method = isOfCurrency ? undefined : await methodOf(lp.id, currency, given, isStop);
        if (method === undefined) {
          if (!(await setQuoting(db, lp.id, currency, quoting === true)))
            throw invalidField(
              'currency',
              `You have no terms in ${currency}: publish rate_usd or offset_bps`,
            );
        } else {
          const rate = await readRate({ prices, settings }, body);
          await publishTerms(db, { lpId: lp.id, currency, method }, { ...change, rate });
        }
        const terms = await termsWithReasons({ db, prices, settings }, lp.id, { currency, method });
        return { status: 200, body: { ok: true, terms: terms.map(explainedView(delivery.corridors)) } };
      },
    }),
    route({
      method: 'get',
      path: '/api/lp/:lp_key/terms',
      auth: 'lp',
      summary: 'List all terms',
      answers: { 200: termsResponse },
      refuses: [],
      keyLimit: { name: 'terms-read', max: settings.limits.termsRead },
      handle: async ({ principal: lp }) => {
        const terms = await termsWithReasons({ db, prices, settings }, lp.id);
        return { status: 200, body: { terms: terms.map(explainedView(delivery.corridors)) } };
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
      keyLimit: { name: 'terms', max: settings.limits.terms },
      body: rateRequest,
      handle: async ({ principal: lp, body }) => {
        const { currency } = body;
        const method = termsMethod(delivery.corridors, currency);
        const rate = await readRate({ prices, settings }, body);
        await publishTerms(db, { lpId: lp.id, currency, method }, { rate });
        const terms = await termsWithReasons({ db, prices, settings }, lp.id, { currency, method });
        const [view] = terms.map(explainedView(delivery.corridors));
        return { status: 200, body: { ok: true, not_quoted: view?.not_quoted ?? null } };
      },
    }),
    route({
      method: 'post',
      path: '/api/lp/:lp_key/assets',
      auth: 'lp',
      summary: 'Register a crypto receive address',
      description:
        'Use the address for nothing else. Another address for a token that has one takes effect after `ADDRESS_HOLD`.',
      answers: { 201: assetResponse },
      refuses: ['asset_not_accepted', 'address_taken', 'too_many_lookups'],
      keyLimit: { name: 'asset', max: settings.limits.asset },
      body: assetRequest,
      handle: async ({ principal: lp, body }) => {
        const { symbol, chain } = body;
        const countLookup = () => countNodeLookup(db, settings.limits, lp);
        const { address, destinationTag } = await readReceiveAddress({ chains, log, countLookup }, body);
        const asset = { symbol, chain, address, destinationTag };
        const takesEffect = await registerAsset(db, lp.id, asset, settings.addressHold);
        const waits = takesEffect && { takes_effect_at: new Date(takesEffect).toISOString() };
        return { status: 201, body: { ok: true, ...waits } };
      },
    }),
  ];

  /**
   * The method of the corridor. The operator may have dropped it since the LP published terms for it. The LP can then only
   * stop: it has nothing else to change, because there are no new orders.
   */
  async function methodOf(lpId: number, currency: string, given: string | undefined, isStop: boolean) {
    const isDropped =
      given !== undefined &&
      !isOffered(delivery.corridors, { currency, method: given }) &&
      (await termsOf(db, [lpId])).some((own) => own.currency === currency && own.method === given);
    if (isDropped && !isStop)
      throw invalidField(
        'method',
        'is no longer offered by the operator: you can only send "quoting": false',
      );
    return isDropped ? given : termsMethod(delivery.corridors, currency, given);
  }
}
