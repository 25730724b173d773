import { z } from 'zod';
import { DEFAULT_CHAIN, DEFAULT_SYMBOL } from '../domain/assets.ts';
import { chainName, id, money, orderStatus, time } from './answers.ts';
import { chain, currency, fiatAmount, line, symbol, txHash } from './fields.ts';

/** What a payout's price depends on. */
const priced = {
  amount: fiatAmount,
  currency,
  crypto_symbol: symbol.default(DEFAULT_SYMBOL),
  crypto_chain: chain.default(DEFAULT_CHAIN),
};

/** `POST /api/v1/rates`: quotes a payout and holds the quote. */
export const ratesRequest = z.object(priced).meta({ examples: [{ amount: 6475, currency: 'KES' }] });
export type PricedRequest = z.output<typeof ratesRequest>;

/** Contract: "POST /api/v1/pay", body. Webhooks go over https, except where `allowHttp` (development). */
export const payRequest = ({ allowHttp }: { allowHttp: boolean }) =>
  z
    .object({
      amount: priced.amount,
      currency: priced.currency,
      recipient: line(128),
      user_id: z.number().int().positive(),
      recipient_name: line(200).optional(),
      method: line(32).default('mobile_money'),
      callback_url: z
        .url({
          protocol: allowHttp ? /^https?$/ : /^https$/,
          error: `must be an ${allowHttp ? 'http(s)' : 'https'} URL`,
        })
        .max(2_048)
        .regex(/^[\x21-\x7e]+$/, 'must be written in ASCII')
        .optional(),
      crypto_symbol: priced.crypto_symbol,
      crypto_chain: priced.crypto_chain,
      rate_lock_id: z
        .string()
        .max(64)
        .regex(/^[\x21-\x7e]+$/, 'must be the id of a lock')
        .optional()
        .describe(
          'Of a lock that `POST /api/v1/rates` gave for the same amount, currency, symbol and chain.',
        ),
    })
    .meta({ examples: [{ amount: 6475, currency: 'KES', recipient: '+254700000001', user_id: 1 }] });
export type PayRequest = z.infer<ReturnType<typeof payRequest>>;

const quotingLp = z.strictObject({
  id,
  rate: z.number().positive().describe('Units of the currency per 1 USD.'),
});
const rateText = z.string().describe('For people, such as "1 USD = 129.5 KES".');

export const rateLockResponse = z.strictObject({
  rate_lock_id: z.string().describe('For one payment, by the same agent key.'),
  rate: rateText,
  rate_usd: z.number().positive().describe('Units of the currency per 1 USD.'),
  crypto_amount: money,
  fee_usd: money,
  lp: quotingLp,
  expires_at: time,
});
export type RateLockResponse = z.output<typeof rateLockResponse>;

/** Contract: "Creation response of a payment". */
export const paymentResponse = z.strictObject({
  payment_id: z.string(),
  order_id: id,
  status: z.literal('matched'),
  crypto_required: z.strictObject({ amount: money, symbol: z.string(), chain: chainName }),
  fiat_delivery: z.strictObject({
    amount: money,
    currency: z.string(),
    recipient: z.string(),
    recipient_name: z.string().nullable(),
    method: z.string(),
  }),
  rate: rateText,
  deposit_address: z
    .string()
    .nullable()
    .describe('Null at creation: any LP may claim the order. Where to pay is its `lp_receive_address` then.'),
  lp: quotingLp,
  callback_url: z.string().nullable(),
  expires_at: time,
  track_url: z.string(),
});
export type PaymentResponse = z.output<typeof paymentResponse>;

/** Contract: "Idempotent replay". */
export const replayedPaymentResponse = paymentResponse.extend({ idempotent_replay: z.literal(true) });

/** Contract: "Status view of an order". */
export const statusResponse = z.strictObject({
  order_id: id,
  status: orderStatus,
  amount_fiat: money,
  currency: z.string(),
  crypto_symbol: z.string(),
  crypto_amount: money,
  tx_hash: z.string().nullable(),
  created_at: time,
  completed_at: time.nullable(),
});

export const confirmResponse = z.strictObject({ status: z.literal('confirmed') });

export const settleResponse = z.strictObject({
  status: z.literal('crypto_verify_pending'),
  message: z.string(),
  order_id: id,
});

/** Contract: "POST /api/v1/settle/:orderId", body. */
export const settleRequest = z
  .object({ tx_hash: txHash })
  .meta({ examples: [{ tx_hash: 'the tx_hash of the transaction' }] });

/** Contract: `Idempotency-Key`. */
export const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 printable characters without spaces');
