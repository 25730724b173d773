import { z } from 'zod';
import { notQuoted } from '../../schemas/lp-terms.ts';
import {
  address,
  chain,
  currency,
  describeField,
  destinationTag,
  rateUsd,
  symbol,
} from '../../schemas/request-fields.ts';
import { ok } from '../../schemas/response-fields.ts';

/** Contract: "POST /api/lp/{lp_key}/rates". */
export const rateRequest = z
  .object({
    currency: describeField(currency, 'The fiat currency that the LP pays out.'),
    rate_usd: describeField(rateUsd, 'The rate at which the LP pays it out.'),
  })
  .meta({ examples: [{ currency: 'KES', rate_usd: 129.5 }] });

export const rateResponse = ok.extend({ not_quoted: notQuoted });

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
