import { z } from 'zod';
import { lpRecord } from '../../schemas/lp-record.ts';
import { publishedAsset, publishedRate } from '../../schemas/lp-terms.ts';
import { address, currency, describeField, line, rateUsd, spreadBps } from '../../schemas/request-fields.ts';
import { id } from '../../schemas/response-fields.ts';

/** How many rates an LP may have when it registers. It may publish more terms once it has a key, which is limited. */
const MAX_FIRST_RATES = 50;

/** Contract: "POST /api/lp/register". */
export const registerRequest = z
  .object({
    xrpl_address: describeField(address, 'The XRP Ledger account that the LP operates.'),
    mpesa_phone: describeField(line(32), 'The phone number at which the LP can be reached.'),
    display_name: describeField(
      line(200),
      'The name that agents and admins see. Default: `LP` and the LP’s id.',
    ).optional(),
    supported_currencies: z
      .record(currency, rateUsd)
      .refine(
        (rates) => Object.keys(rates).length <= MAX_FIRST_RATES,
        `must have at most ${MAX_FIRST_RATES} currencies: publish further terms after the registration`,
      )
      .default({})
      .describe(
        `The LP’s first rates: an object from ISO 4217 codes to rates, at most ${MAX_FIRST_RATES}. Each is for the currency’s default method and holds for RATE_VALID_FOR. ${rateUsd.description} Default: no rates.`,
      ),
    spread_bps: describeField(
      spreadBps,
      'The share of an order’s value that the LP adds to its price. Default: 0.',
    ).default(0),
  })
  .meta({
    examples: [
      {
        xrpl_address: 'rMyLedgerAccount',
        mpesa_phone: '+254700000002',
        supported_currencies: { KES: 129.5 },
      },
    ],
  });

export const registerResponse = z.strictObject({
  lp_id: id,
  lp_key: z.string().describe('The secret of this LP. Shown only once.'),
  user_id: id,
});

/** Contract: "GET /api/lps". Terms and record only: no addresses, no phone, no balance. */
export const lpsResponse = z.strictObject({
  lps: z.array(
    z.strictObject({
      id,
      display_name: z.string(),
      tier: z.number().int().nonnegative(),
      spread_bps: z.number().int().nonnegative(),
      ...lpRecord,
      rates: z.array(publishedRate),
      assets: z.array(publishedAsset),
    }),
  ),
});
