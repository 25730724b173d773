import { z } from 'zod';
import { MAX_DURATION_MS } from '../../../domain/duration.ts';
import { explainedTerms, notQuoted } from '../../schemas/lp-terms.ts';
import {
  address,
  chain,
  currency,
  describeField,
  destinationTag,
  fiatAmount,
  fiatOrZero,
  line,
  rateUsd,
  symbol,
} from '../../schemas/request-fields.ts';
import { ok, time } from '../../schemas/response-fields.ts';

/** Contract: "POST /api/lp/{lp_key}/rates". */
export const rateRequest = z
  .object({
    currency: describeField(currency, 'The fiat currency that the LP pays out.'),
    rate_usd: describeField(rateUsd, 'The rate at which the LP pays it out.'),
  })
  .meta({ examples: [{ currency: 'KES', rate_usd: 129.5 }] });

export const rateResponse = ok.extend({ not_quoted: notQuoted });

/** The largest offset: `checkRates` refuses a fixed rate that is further off the reference. */
const MAX_OFFSET_BPS = 1_000;

/** A field of the terms that `null` clears. */
const clearable = (field: z.ZodType<string>, meaning: string) => {
  const described = describeField(field, meaning);
  return described
    .nullable()
    .optional()
    .describe(described.description ?? '');
};

interface TermsBody {
  currency: string;
  rate_usd?: string | undefined;
  offset_bps?: number | undefined;
  [field: string]: unknown;
}

/** The faults of a body as a whole, by the field that the message names. */
const TERMS_FAULTS: [field: string, error: string, isFault: (body: TermsBody) => boolean][] = [
  [
    'offset_bps',
    'must be left out beside rate_usd: a rate is fixed or an offset',
    ({ rate_usd, offset_bps }) => rate_usd !== undefined && offset_bps !== undefined,
  ],
  [
    'valid_for',
    'needs rate_usd or offset_bps',
    ({ valid_for, rate_usd, offset_bps }) =>
      valid_for !== undefined && rate_usd === undefined && offset_bps === undefined,
  ],
  ['min', 'must not be above max', ({ min, max }) => min != null && max != null && Number(min) > Number(max)],
  [
    'expected_float',
    'needs float',
    ({ expected_float, float }) => expected_float !== undefined && float === undefined,
  ],
];

/** Contract: "POST /api/lp/{lp_key}/terms". */
export const termsRequest = z
  .object({
    currency: describeField(currency, 'The fiat currency that the LP pays out.'),
    method: describeField(
      line(32),
      'The method of the corridor: one of the currency in `GET /api/v1/corridors`. Default: the default method of the currency, or `*`, any method, for a currency without a corridor. A body with only `currency` and `quoting` changes all of the LP’s terms in the currency.',
    ).optional(),
    rate_usd: describeField(
      rateUsd,
      'A fixed rate, at which the LP pays the currency out. The first terms of a corridor need it, or `offset_bps`. Default: the rate stays.',
    ).optional(),
    offset_bps: z
      .number()
      .int()
      .min(-MAX_OFFSET_BPS)
      .max(MAX_OFFSET_BPS)
      .optional()
      .describe(
        'In place of `rate_usd`: a rate that follows the price source. In basis points (hundredths of a percent) above its price, below it if negative: a whole number from -1,000 to 1,000. Default: the rate stays.',
      ),
    valid_for: z
      .number()
      .int()
      .min(1)
      .max(MAX_DURATION_MS / 1_000)
      .optional()
      .describe(
        'How long the rate holds from now: whole seconds, from 1 to 86,400. Only with `rate_usd` or `offset_bps`. Default: the operator’s RATE_VALID_FOR, 86,400.',
      ),
    min: clearable(
      fiatOrZero,
      'The smallest order that the LP takes; `null`: any. Default: it stays; any for the first terms.',
    ),
    max: clearable(
      fiatAmount,
      'The largest order that the LP takes; `null`: any. Default: it stays; any for the first terms.',
    ),
    float: clearable(
      fiatOrZero,
      'The fiat that the LP can send for new orders, without the fiat reserved for its claimed orders; `null`: Corridor does not count it. Default: it stays; `null` for the first terms.',
    ),
    expected_float: clearable(
      fiatOrZero,
      'The float that the LP read last, `null` if it is not counted. If it differs from the actual one, Corridor changes nothing and refuses with `float_changed`. Only with `float`. Default: `float` replaces any.',
    ),
    float_low: clearable(
      fiatOrZero,
      'Below this float the LP gets the webhook `lp.float_low`; `null`: never. Default: it stays; `null` for the first terms.',
    ),
    quoting: z
      .boolean()
      .optional()
      .describe(
        '`false`: the LP gets no quotes and no offers of the corridor until it sends `true`. Default: it stays; `true` for the first terms.',
      ),
  })
  .superRefine((body, ctx) => {
    for (const [field, error, isFault] of TERMS_FAULTS)
      if (isFault(body)) ctx.addIssue({ code: 'custom', path: [field], message: error });
    const { currency: _, method: __, ...changes } = body;
    if (Object.values(changes).every((value) => value === undefined))
      ctx.addIssue({
        code: 'custom',
        message: 'names nothing to change, such as rate_usd, float or quoting',
      });
  })
  .meta({
    examples: [
      {
        currency: 'KES',
        method: 'bank_transfer',
        rate_usd: 129.5,
        valid_for: 3600,
        min: 1000,
        float: 250000,
      },
      { currency: 'KES', float: 180000.5, expected_float: 250000 },
      { currency: 'KES', quoting: false },
    ],
  });

export const termsResponse = z.strictObject({ terms: z.array(explainedTerms) });
export const changedTermsResponse = ok.extend({
  terms: z.array(explainedTerms).describe('The terms that the request has changed, as they are now.'),
});

/** Contract: "POST /api/lp/{lp_key}/assets". */
export const assetRequest = z
  .object({
    symbol: describeField(symbol, 'The token that the LP accepts.'),
    chain: describeField(chain, 'The chain on which the LP accepts it.'),
    address: describeField(
      address,
      'The LP’s address on that chain, to which payers send the token. On `xrpl` it may be an X-address, which contains its destination tag.',
    ),
    destination_tag: describeField(
      destinationTag,
      'The destination tag that payments to the address must have, on `xrpl` only. Required if the account requires one. Default: none; payments must then have none.',
    ).optional(),
  })
  .meta({ examples: [{ symbol: 'usdt', chain: 'trx', address: 'TMyReceiveAddress' }] });

export const assetResponse = ok.extend({
  takes_effect_at: time
    .optional()
    .describe('From when on orders that the LP claims are paid at the address. Left out: from now on.'),
});
