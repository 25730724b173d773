import { z } from 'zod';
import { DEFAULT_CHAIN, DEFAULT_SYMBOL, STABLECOINS } from '../domain/assets.ts';
import { overlap } from './admin.ts';
import { id, money, time } from './answers.ts';
import { address, chain, currency, line, rateUsd, spreadBps, symbol, txHash, usdAmount } from './fields.ts';

/** Contract: "POST /api/lp/register". */
export const registerRequest = z
  .object({
    xrpl_address: address,
    mpesa_phone: line(32),
    display_name: line(200).optional(),
    supported_currencies: z.record(currency, rateUsd).default({}),
    spread_bps: spreadBps.default(0),
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

/** Contract: "POST /api/lp/{lp_key}/rates". */
export const rateRequest = z
  .object({ currency, rate_usd: rateUsd })
  .meta({ examples: [{ currency: 'KES', rate_usd: 129.5 }] });

/** Contract: "POST /api/lp/{lp_key}/assets". */
export const assetRequest = z
  .object({ symbol, chain, address })
  .meta({ examples: [{ symbol: 'usdt', chain: 'trx', address: 'TMyReceiveAddress' }] });

/** Contract: "POST /api/lp/{lp_key}/collateral/deposit". Collateral is kept in dollars, so only dollar tokens are taken. */
export const depositRequest = z
  .object({
    amount: usdAmount,
    asset: symbol.pipe(z.enum(STABLECOINS)).default(DEFAULT_SYMBOL),
    chain: chain.default(DEFAULT_CHAIN),
    tx_hash: txHash.optional(),
  })
  .meta({ examples: [{ amount: 500, asset: 'usdt' }] });

export const registerResponse = z.strictObject({
  lp_id: id,
  lp_key: z.string().describe('The secret of this LP. Shown once.'),
  user_id: id,
});

/** `POST /api/lp/{lp_key}/rotate` and `POST /api/admin/lps/:id/rotate`. */
export const rotateLpRequest = z.object({ overlap });

export const rotateLpResponse = z.strictObject({
  lp_id: id,
  lp_key: z.string().describe('The new secret of this LP. Shown once.'),
  warning: z.string(),
  old_key_expires_at: time,
});
export type RotateLpResponse = z.output<typeof rotateLpResponse>;

export const depositResponse = z.strictObject({
  ok: z.literal(true),
  amount: money,
  asset: z.string(),
  deposit_id: id.describe('For the confirm path.'),
  pay_to: z
    .string()
    .nullable()
    .describe('Where to send it; null where there is no such address, as on a simulated chain.'),
});
