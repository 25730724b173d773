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
export interface RegisterRequest {
  xrpl_address: string;
  mpesa_phone: string;
  display_name?: string;
  supported_currencies?: {
    [k: string]: number;
  };
  spread_bps?: number;
}
export interface RateRequest {
  currency: string;
  rate_usd: number;
}
export interface AssetRequest {
  symbol: string;
  chain: string;
  address: string;
}
export interface DepositRequest {
  amount: number;
  asset?: string;
  chain?: string;
  tx_hash?: string;
}
export interface WithdrawRequest {
  amount: number;
  /**
   * Where it is to be paid to.
   */
  address: string;
  asset?: string;
  chain?: string;
}
export interface AutoClaimRequest {
  enabled: boolean;
  /**
   * Highest USD value of an order.
   */
  max_amount_usd?: number | null;
  /**
   * Without it, the currencies that the LP publishes a rate for.
   */
  currencies?: string[] | null;
  /**
   * Lowest `est_profit_usd` of an order. May be negative.
   */
  min_profit_usd?: number;
}

export type OrderStatus =
  | 'matched'
  | 'claimed'
  | 'fiat_sent'
  | 'confirmed'
  | 'crypto_verify_pending'
  | 'completed'
  | 'cancelled'
  | 'disputed';
export type Chain = 'trx' | 'eth' | 'polygon' | 'base' | 'xrpl';
export type ErrorCode =
  | 'validation_failed'
  | 'invalid_json'
  | 'bad_multipart'
  | 'bad_file_type'
  | 'pricing_unavailable'
  | 'asset_not_accepted'
  | 'rate_off_reference'
  | 'unknown_user'
  | 'bad_rate_lock'
  | 'exposure_exceeded'
  | 'insufficient_collateral'
  | 'no_receive_address'
  | 'deposit_not_verified'
  | 'agent_key_required'
  | 'agent_key_invalid'
  | 'agent_key_inactive'
  | 'admin_key_invalid'
  | 'lp_unauthorized'
  | 'lp_not_approved'
  | 'not_order_owner'
  | 'receipt_not_allowed'
  | 'not_found'
  | 'no_lp_available'
  | 'method_not_allowed'
  | 'order_not_claimable'
  | 'lp_cooling_down'
  | 'order_not_confirmed'
  | 'wrong_state'
  | 'order_frozen'
  | 'not_an_extension'
  | 'nothing_to_verify'
  | 'transaction_rejected'
  | 'slash_too_high'
  | 'idempotency_conflict'
  | 'transaction_used'
  | 'delivery_pending'
  | 'withdrawal_decided'
  | 'bad_request'
  | 'request_timeout'
  | 'headers_too_large'
  | 'payload_too_large'
  | 'rate_limited'
  | 'too_many_connections'
  | 'unavailable'
  | 'internal';
export type OrderChange =
  | {
      type: 'order.open';
      /**
       * The place behind this: whoever goes on from here is told what follows.
       */
      cursor: string;
      order: Offer;
    }
  | {
      type: 'order.closed';
      /**
       * The place behind this: whoever goes on from here is told what follows.
       */
      cursor: string;
      id: number;
      /**
       * The status that it has now; `frozen`: an admin has stopped its clock, and it may open again.
       */
      reason:
        | 'matched'
        | 'claimed'
        | 'fiat_sent'
        | 'confirmed'
        | 'crypto_verify_pending'
        | 'completed'
        | 'cancelled'
        | 'disputed'
        | 'frozen';
    }
  | {
      type: 'order.updated';
      /**
       * The place behind this: whoever goes on from here is told what follows.
       */
      cursor: string;
      order: OwnOrderNews;
    };
export type FeedMessage =
  | {
      type: 'hello';
      /**
       * The place behind this: whoever goes on from here is told what follows.
       */
      cursor: string;
      /**
       * Between two pings.
       */
      heartbeat_ms: number;
    }
  | {
      type: 'snapshot';
      /**
       * The place behind this: whoever goes on from here is told what follows.
       */
      cursor: string;
      orders: Offer[];
    }
  | {
      type: 'resumed';
      /**
       * The place behind this: whoever goes on from here is told what follows.
       */
      cursor: string;
    }
  | {
      type: 'order.open';
      /**
       * The place behind this: whoever goes on from here is told what follows.
       */
      cursor: string;
      order: Offer;
    }
  | {
      type: 'order.closed';
      /**
       * The place behind this: whoever goes on from here is told what follows.
       */
      cursor: string;
      id: number;
      /**
       * The status that it has now; `frozen`: an admin has stopped its clock, and it may open again.
       */
      reason:
        | 'matched'
        | 'claimed'
        | 'fiat_sent'
        | 'confirmed'
        | 'crypto_verify_pending'
        | 'completed'
        | 'cancelled'
        | 'disputed'
        | 'frozen';
    }
  | {
      type: 'order.updated';
      /**
       * The place behind this: whoever goes on from here is told what follows.
       */
      cursor: string;
      order: OwnOrderNews;
    }
  | {
      type: 'error';
      error: string;
    };

export interface Payment {
  payment_id: string;
  order_id: number;
  status: 'matched';
  crypto_required: {
    amount: number;
    symbol: string;
    chain: Chain;
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
    chain: Chain;
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
  status: OrderStatus;
  amount_fiat: number;
  currency: string;
  crypto_symbol: string;
  crypto_amount: number;
  tx_hash: string | null;
  created_at: string;
  completed_at: string | null;
}
export interface OrdersPage {
  orders: OrderStatusView[];
  /**
   * Null on the last page.
   */
  next_cursor: string | null;
}
export interface Timeline {
  order_id: number;
  status: OrderStatus;
  transitions: {
    seq: number;
    /**
     * Null for the creation.
     */
    from_status: OrderStatus | null;
    status: OrderStatus;
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
  status: OrderStatus;
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
    crypto_chain?: Chain;
    lp_receive_address?: string | null;
    user_crypto_tx_hash?: string | null;
    spread_bps?: number;
    fee_usd?: number;
    status?: OrderStatus;
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
export interface WebhookDelivery {
  /**
   * For the redeliver path; `webhook-id` is `msg_` and this.
   */
  id: number;
  order_id: number;
  /**
   * Of the transition that it tells of, as in the timeline.
   */
  seq: number;
  /**
   * The status that it tells of.
   */
  status: OrderStatus;
  /**
   * What came of the last time it was sent.
   */
  state: 'pending' | 'delivered' | 'exhausted';
  created_at: string;
  attempts: {
    /**
     * Counts on when the webhook is sent again.
     */
    attempt: number;
    /**
     * What the receiver answered; null: nothing.
     */
    status_code: number | null;
    error: string | null;
    duration_ms: number;
    at: string;
  }[];
}
export interface WebhookDeliveries {
  deliveries: WebhookDelivery[];
}
export interface Registration {
  lp_id: number;
  /**
   * The secret of this LP. Shown once.
   */
  lp_key: string;
  user_id: number;
}
export interface DepositAnswer {
  ok: true;
  amount: number;
  asset: string;
  /**
   * For the confirm path.
   */
  deposit_id: number;
  /**
   * Where to send it; null where there is no such address, as on a simulated chain.
   */
  pay_to: string | null;
}
export interface Withdrawal {
  id: number;
  amount: number;
  asset: string;
  chain: Chain;
  address: string;
  status: 'requested' | 'paid' | 'rejected';
  /**
   * Of the payout, where the admin has told it.
   */
  tx_hash: string | null;
  /**
   * Why it was rejected.
   */
  reason: string | null;
  created_at: string;
  decided_at: string | null;
}
export interface ReplayedWithdrawal {
  id: number;
  amount: number;
  asset: string;
  chain: Chain;
  address: string;
  status: 'requested' | 'paid' | 'rejected';
  /**
   * Of the payout, where the admin has told it.
   */
  tx_hash: string | null;
  /**
   * Why it was rejected.
   */
  reason: string | null;
  created_at: string;
  decided_at: string | null;
  idempotent_replay: true;
}
export interface ClaimAnswer {
  status: 'claimed';
  lp_receive_address: string;
  /**
   * USD reserved from the LP’s collateral.
   */
  collateral_locked: number;
}
export interface FiatSentAnswer {
  status: OrderStatus;
}
export interface ReleaseAnswer {
  /**
   * `matched` when others are offered the order, `cancelled` when it ends.
   */
  status: OrderStatus;
}
export interface Receipt {
  ok: true;
  order_id: number;
  receipt_key: string;
  /**
   * For the order’s LP, its agent and admins, with their bearer.
   */
  receipt_url: string;
}
export interface Offer {
  id: number;
  status: OrderStatus;
  amount_fiat: number;
  currency: string;
  amount_usd: number;
  crypto_symbol: string;
  crypto_chain: Chain;
  amount_crypto: number;
  /**
   * USD that a claim by this LP locks.
   */
  collateral_required: number;
  /**
   * What this LP earns by the order, by its own rate where it has one; rounded down to the cent. May be negative.
   */
  est_profit_usd: number;
  /**
   * Until when it can be claimed.
   */
  expires_at: string;
  created_at: string;
}
export interface OwnOrder {
  id: number;
  status: OrderStatus;
  amount_fiat: number;
  currency: string;
  amount_usd: number;
  crypto_symbol: string;
  crypto_chain: Chain;
  amount_crypto: number;
  /**
   * USD that a claim by this LP locks.
   */
  collateral_required: number;
  /**
   * What this LP earns by the order, by its own rate where it has one; rounded down to the cent. May be negative.
   */
  est_profit_usd: number;
  /**
   * Until when it can be claimed.
   */
  expires_at: string;
  created_at: string;
  /**
   * Whether the order is this LP’s now.
   */
  owned: boolean;
  /**
   * Deadline of the current stage.
   */
  timeout_at: string | null;
  collateral_locked: number | null;
  lp_receive_address: string | null;
  user_crypto_tx_hash: string | null;
  /**
   * Where the fiat goes.
   */
  recipient: string | null;
  recipient_name: string | null;
  method: string | null;
}
export interface Dashboard {
  lp: {
    id: number;
    display_name: string;
    status: 'pending' | 'approved' | 'suspended';
    tier: number;
    spread_bps: number;
    /**
     * In all.
     */
    orders_completed: number;
    /**
     * Of its last 100 orders, the share completed and not let down. Null before the first.
     */
    completion_rate: number | null;
    /**
     * From the claim to the fiat sent, in its last 100 completed orders. Null before the first.
     */
    median_fiat_seconds: number | null;
    /**
     * Orders that it let down in the last 30 days and was not forgiven.
     */
    strikes: number;
    /**
     * Until when it is neither quoted nor may claim, after a strike. Null when it is not cooling down.
     */
    cooling_down_until: string | null;
    xrpl_address: string;
    mpesa_phone: string;
    created_at: string;
    collateral: {
      available: number;
      locked: number;
    };
    auto_claim: {
      enabled: boolean;
      max_amount_usd: number | null;
      currencies: string[] | null;
      min_profit_usd: number;
    };
    /**
     * How long it has for the fiat of an order that is made now, from its claim on.
     */
    fiat_within_seconds: number;
  };
  rates: {
    currency: string;
    rate_usd: number;
    updated_at: string;
  }[];
  assets: {
    symbol: string;
    chain: Chain;
    address: string;
    created_at: string;
  }[];
  open_orders: Offer[];
  my_orders: OwnOrder[];
}
export interface Balance {
  balance: {
    available: number;
    locked: number;
    /**
     * Reserved for withdrawals that are not decided yet.
     */
    withdrawing: number;
    /**
     * All that is kept for the LP.
     */
    total: number;
  };
  recent_deposits: {
    id: number;
    amount: number;
    asset: string;
    chain: Chain;
    tx_hash: string | null;
    status: 'pending' | 'confirmed';
    created_at: string;
    confirmed_at: string | null;
  }[];
  recent_withdrawals: Withdrawal[];
  recent_fees: {
    order_id: number;
    amount: number;
    created_at: string;
  }[];
  /**
   * Where collateral is to be sent, by chain; none for a simulated one.
   */
  deposit_addresses: {
    chain: Chain;
    address: string;
  }[];
  /**
   * USD that Corridor has taken from all LPs.
   */
  platform_total_fees: number;
}
export interface Order {
  id: number;
  user_id?: number;
  lp_id: number | null;
  type: string;
  amount_fiat: number;
  currency: string;
  amount_usd: number;
  amount_crypto: number;
  crypto_symbol: string;
  crypto_chain: Chain;
  lp_receive_address: string | null;
  user_crypto_tx_hash: string | null;
  spread_bps: number;
  fee_usd: number;
  status: OrderStatus;
  /**
   * Deadline of the current stage.
   */
  timeout_at: string | null;
  created_at: string;
  completed_at: string | null;
  cancelled_at: string | null;
  callback_url?: string | null;
  receipt_url?: string | null;
}
export interface OwnOrderNews {
  id: number;
  lp_id: number | null;
  type: string;
  amount_fiat: number;
  currency: string;
  amount_usd: number;
  amount_crypto: number;
  crypto_symbol: string;
  crypto_chain: Chain;
  lp_receive_address: string | null;
  user_crypto_tx_hash: string | null;
  spread_bps: number;
  fee_usd: number;
  status: OrderStatus;
  /**
   * Deadline of the current stage.
   */
  timeout_at: string | null;
  created_at: string;
  completed_at: string | null;
  cancelled_at: string | null;
  recipient?: string;
  recipient_name?: string | null;
  method?: string;
}
export interface OpenOrders {
  orders: Offer[];
  count: number;
  poll_again_ms: number;
  /**
   * Pass it in the next call: then no order is missed and none comes twice.
   */
  cursor: string;
}
export interface ChangesPage {
  changes: OrderChange[];
  /**
   * The place behind this: whoever goes on from here is told what follows.
   */
  cursor: string;
  poll_again_ms: number;
}
