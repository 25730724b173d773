import type { Chain } from '../domain/assets.ts';
import { maskDetails, maskRecipient } from '../domain/order-view.ts';
import { rateLabel } from '../domain/quote.ts';
import type { BoundRecipientCheck } from '../domain/recipient-check.ts';
import type { PricedPayout } from '../market/pricing/quote-payment.ts';
import type { NewOrder } from './new-order.ts';

/** An agent's request for a payment. */
export interface PaymentRequest extends Omit<PricedPayout, 'method' | 'corridor_method'> {
  recipient?: string | undefined;
  recipient_name?: string | undefined;
  recipient_details?: Record<string, string> | undefined;
  /** Undefined: the currency's default method. */
  method?: string | undefined;
  institution?: string | undefined;
  user_id: number;
  callback_url?: string | undefined;
  rate_lock_id?: string | undefined;
  /** The id of a check of the recipient. */
  recipient_check_id?: string | undefined;
}

/**
 * The agent's view of a created payment. Contract: "Creation response of a payment". A type alias, not an interface, so
 * that it is assignable to the JSON column that keeps it.
 */
export type PaymentView = {
  payment_id: string;
  order_id: number;
  status: 'matched';
  crypto_required: { amount: number; symbol: string; chain: Chain };
  fiat_delivery: {
    amount: number;
    currency: string;
    recipient: string;
    recipient_name: string | null;
    method: string;
    /** Present if the agent named it. */
    institution?: string;
    /** Present if the agent sent it. */
    recipient_details?: Record<string, string>;
    /** Present if the agent named one. */
    recipient_check?: BoundRecipientCheck;
  };
  rate: string;
  /** Null at creation: any LP may claim the order. */
  deposit_address: string | null;
  lp: { id: number; rate: number };
  callback_url: string | null;
  expires_at: string;
  track_url: string;
};

export function paymentView(
  order: NewOrder,
  request: Pick<PaymentRequest, 'recipient_details'>,
  publicUrl: string,
): PaymentView {
  if (!order.lp_id) throw new Error(`Order ${order.id} was quoted without an LP`);
  return {
    payment_id: order.payment_id,
    order_id: order.id,
    status: 'matched',
    crypto_required: {
      amount: Number(order.amount_crypto),
      symbol: order.crypto_symbol,
      chain: order.crypto_chain,
    },
    fiat_delivery: {
      amount: Number(order.amount_fiat),
      currency: order.currency,
      recipient: order.recipient,
      recipient_name: order.recipient_name ?? null,
      method: order.method,
      ...(order.institution ? { institution: order.institution } : {}),
      ...(request.recipient_details ? { recipient_details: request.recipient_details } : {}),
      ...(order.recipient_check ? { recipient_check: order.recipient_check } : {}),
    },
    rate: rateLabel(order.rate_usd, order.currency),
    deposit_address: null,
    lp: { id: order.lp_id, rate: Number(order.rate_usd) },
    callback_url: order.callback_url ?? null,
    expires_at: order.expires_at.toISOString(),
    track_url: `${publicUrl}/api/orders/${order.id}`,
  };
}

/** The response as Corridor stores and replays it. Only the first response contains the full recipient. */
export function withMaskedRecipient(response: PaymentView): PaymentView {
  const { recipient, recipient_details, ...delivery } = response.fiat_delivery;
  return {
    ...response,
    fiat_delivery: {
      ...delivery,
      recipient: maskRecipient(recipient),
      ...(recipient_details ? { recipient_details: maskDetails(recipient_details) } : {}),
    },
  };
}
