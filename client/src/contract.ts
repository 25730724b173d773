/* Written by `npm run client:contract` from the service's own schemas. Changes made here by hand are lost. */

export interface PayRequest {
  amount: number;
  currency: string;
  recipient: string;
  user_id: number;
  recipient_name?: string;
  method?: string;
  callback_url?: string;
  crypto_symbol?: string;
  crypto_chain?: string;
  /**
   * Of a lock that `POST /api/v1/rates` gave for the same amount, currency, symbol and chain.
   */
  rate_lock_id?: string;
}

export interface RatesRequest {
  amount: number;
  currency: string;
  crypto_symbol?: string;
  crypto_chain?: string;
}

export interface OrdersQuery {
  /**
   * The `next_cursor` of the page before.
   */
  cursor?: string;
  limit?: number;
  status?:
    | 'matched'
    | 'claimed'
    | 'fiat_sent'
    | 'confirmed'
    | 'crypto_verify_pending'
    | 'completed'
    | 'cancelled'
    | 'disputed';
  currency?: string;
  /**
   * Created at this time or later.
   */
  created_from?: string;
  /**
   * Created before this time.
   */
  created_to?: string;
}

export interface Payment {
  payment_id: string;
  order_id: number;
  status: 'matched';
  crypto_required: {
    amount: number;
    symbol: string;
    chain: 'trx' | 'eth' | 'polygon' | 'base' | 'xrpl';
  };
  fiat_delivery: {
    amount: number;
    currency: string;
    recipient: string;
    recipient_name: string | null;
    method: string;
  };
  /**
   * For people, such as "1 USD = 129.5 KES".
   */
  rate: string;
  /**
   * Null at creation: any LP may claim the order. Where to pay is its `lp_receive_address` then.
   */
  deposit_address: string | null;
  lp: {
    id: number;
    /**
     * Units of the currency per 1 USD.
     */
    rate: number;
  };
  callback_url: string | null;
  expires_at: string;
  track_url: string;
}

export interface ReplayedPayment {
  payment_id: string;
  order_id: number;
  status: 'matched';
  crypto_required: {
    amount: number;
    symbol: string;
    chain: 'trx' | 'eth' | 'polygon' | 'base' | 'xrpl';
  };
  fiat_delivery: {
    amount: number;
    currency: string;
    recipient: string;
    recipient_name: string | null;
    method: string;
  };
  /**
   * For people, such as "1 USD = 129.5 KES".
   */
  rate: string;
  /**
   * Null at creation: any LP may claim the order. Where to pay is its `lp_receive_address` then.
   */
  deposit_address: string | null;
  lp: {
    id: number;
    /**
     * Units of the currency per 1 USD.
     */
    rate: number;
  };
  callback_url: string | null;
  expires_at: string;
  track_url: string;
  idempotent_replay: true;
}

export interface RateLock {
  /**
   * For one payment, by the same agent key.
   */
  rate_lock_id: string;
  /**
   * For people, such as "1 USD = 129.5 KES".
   */
  rate: string;
  /**
   * Units of the currency per 1 USD.
   */
  rate_usd: number;
  crypto_amount: number;
  fee_usd: number;
  lp: {
    id: number;
    /**
     * Units of the currency per 1 USD.
     */
    rate: number;
  };
  expires_at: string;
}

export interface OrderStatusView {
  order_id: number;
  status:
    | 'matched'
    | 'claimed'
    | 'fiat_sent'
    | 'confirmed'
    | 'crypto_verify_pending'
    | 'completed'
    | 'cancelled'
    | 'disputed';
  amount_fiat: number;
  currency: string;
  crypto_symbol: string;
  crypto_amount: number;
  tx_hash: string | null;
  created_at: string;
  completed_at: string | null;
}

export interface OrdersPage {
  orders: {
    order_id: number;
    status:
      | 'matched'
      | 'claimed'
      | 'fiat_sent'
      | 'confirmed'
      | 'crypto_verify_pending'
      | 'completed'
      | 'cancelled'
      | 'disputed';
    amount_fiat: number;
    currency: string;
    crypto_symbol: string;
    crypto_amount: number;
    tx_hash: string | null;
    created_at: string;
    completed_at: string | null;
  }[];
  /**
   * Null on the last page.
   */
  next_cursor: string | null;
}

export interface Timeline {
  order_id: number;
  status:
    | 'matched'
    | 'claimed'
    | 'fiat_sent'
    | 'confirmed'
    | 'crypto_verify_pending'
    | 'completed'
    | 'cancelled'
    | 'disputed';
  transitions: {
    seq: number;
    /**
     * Null for the creation.
     */
    from_status:
      | (
          | 'matched'
          | 'claimed'
          | 'fiat_sent'
          | 'confirmed'
          | 'crypto_verify_pending'
          | 'completed'
          | 'cancelled'
          | 'disputed'
        )
      | null;
    status:
      | 'matched'
      | 'claimed'
      | 'fiat_sent'
      | 'confirmed'
      | 'crypto_verify_pending'
      | 'completed'
      | 'cancelled'
      | 'disputed';
    actor: 'agent' | 'lp' | 'admin' | 'service';
    /**
     * The LP, where one acted.
     */
    lp_id: number | null;
    /**
     * What was asked for: `pay`, `claim`, `deadline` …
     */
    cause: string;
    /**
     * For people.
     */
    reason: string | null;
    at: string;
  }[];
  /**
   * Null when the order is at its end.
   */
  next: {
    waiting_for: 'lp' | 'agent' | 'chain' | 'admin';
    /**
     * Null while no clock runs.
     */
    due_at: string | null;
  } | null;
}

export interface SettleAnswer {
  status: 'crypto_verify_pending';
  message: string;
  order_id: number;
}

export interface WebhookEvent {
  event: 'order.status_changed';
  order_id: number;
  status:
    | 'matched'
    | 'claimed'
    | 'fiat_sent'
    | 'confirmed'
    | 'crypto_verify_pending'
    | 'completed'
    | 'cancelled'
    | 'disputed';
  /**
   * When the status changed. With order_id and status it tells a repeat.
   */
  timestamp: string;
  /**
   * The fields of the order that have a value.
   */
  data: {
    id?: number;
    user_id?: number;
    lp_id?: number | null;
    type?: string;
    amount_fiat?: number;
    currency?: string;
    amount_usd?: number;
    amount_crypto?: number;
    crypto_symbol?: string;
    crypto_chain?: 'trx' | 'eth' | 'polygon' | 'base' | 'xrpl';
    lp_receive_address?: string | null;
    user_crypto_tx_hash?: string | null;
    spread_bps?: number;
    fee_usd?: number;
    status?:
      | 'matched'
      | 'claimed'
      | 'fiat_sent'
      | 'confirmed'
      | 'crypto_verify_pending'
      | 'completed'
      | 'cancelled'
      | 'disputed';
    /**
     * Deadline of the current stage.
     */
    timeout_at?: string | null;
    created_at?: string;
    completed_at?: string | null;
    cancelled_at?: string | null;
    callback_url?: string | null;
    receipt_url?: string | null;
  };
}
