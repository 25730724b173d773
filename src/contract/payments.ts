import { z } from 'zod';
import { DEFAULT_CHAIN, DEFAULT_SYMBOL } from '../domain/assets.ts';
import { chain, currency, fiatAmount, line, symbol, txHash } from './fields.ts';

/** Contract: "POST /api/v1/pay", body. Webhooks go over https, except where `allowHttp` (development). */
export const payRequest = ({ allowHttp }: { allowHttp: boolean }) =>
  z.object({
    amount: fiatAmount,
    currency,
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
    crypto_symbol: symbol.default(DEFAULT_SYMBOL),
    crypto_chain: chain.default(DEFAULT_CHAIN),
    rate_lock_id: z.string().max(64).optional(),
  });
export type PayRequest = z.infer<ReturnType<typeof payRequest>>;

/** Contract: "Creation response of a payment". */
export interface PaymentResponse {
  payment_id: string;
  order_id: number;
  status: 'matched';
  crypto_required: { amount: number; symbol: string; chain: string };
  fiat_delivery: {
    amount: number;
    currency: string;
    recipient: string;
    recipient_name: string | null;
    method: string;
  };
  rate: string;
  /** Always null at creation: any LP may still claim the order. The claiming LP's address is `lp_receive_address`. */
  deposit_address: string | null;
  lp: { id: number; rate: number };
  callback_url: string | null;
  expires_at: string;
  track_url: string;
}

/** Contract: "POST /api/v1/settle/:orderId", body. */
export const settleRequest = z.object({ tx_hash: txHash });

/** Contract: `Idempotency-Key`. */
export const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 printable characters without spaces');
