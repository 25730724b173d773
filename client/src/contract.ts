/* Written by `npm run client:contract` from the service's own schemas. Changes made here by hand are lost. */

export interface PayRequest {
  /**
   * The fiat amount that the recipient receives. In units of `currency`, not in cents. Greater than 0 and at most 1,000,000,000,000, with at most 2 digits after the point.
   */
  amount: number;
  /**
   * The fiat currency that the recipient receives. An ISO 4217 currency code such as `KES`: three letters in upper or lower case.
   */
  currency: string;
  /**
   * The phone number or account that receives the fiat by the method. Required without `recipient_details`. One line of 1 to 128 characters.
   */
  recipient?: string;
  /**
   * How the LP delivers the fiat: a method of the currency in `GET /api/v1/corridors`. Default: the default method of the currency, or `mobile_money` for a currency without a corridor. One line of 1 to 32 characters.
   */
  method?: string;
  /**
   * The code of the mobile network or bank, from `GET /api/v1/corridors`. Some methods require it. Default: none. One line of 1 to 32 characters.
   */
  institution?: string;
  /**
   * The fields of the recipient, as the method’s JSON Schema in `GET /api/v1/corridors` defines them: an object of texts.
   */
  recipient_details?: {
    [k: string]: string;
  };
  /**
   * The id of the user who pays, from `POST /api/admin/users`: a positive whole number.
   */
  user_id: number;
  /**
   * The name of the recipient, for the LP. One line of 1 to 200 characters.
   */
  recipient_name?: string;
  /**
   * The URL that receives a webhook for each change of the order’s status: an http or https URL of at most 2,048 ASCII characters. Default: no webhooks.
   */
  callback_url?: string;
  /**
   * The token with which the user pays. Default: `usdt`. A token symbol such as `usdt`: 2 to 16 letters and digits in upper or lower case.
   */
  crypto_symbol?: string;
  /**
   * The chain on which the user pays. Default: `trx`. One of `trx`, `eth`, `polygon`, `base`, `xrpl`.
   */
  crypto_chain?: string;
  /**
   * The `rate_lock_id` from `POST /api/v1/rates` for the same amount, currency, method, symbol and chain, at most 64 characters. Default: the present rate.
   */
  rate_lock_id?: string;
  /**
   * The `recipient_check_id` from `POST /api/v1/recipients/verify` for the same currency, method, institution and recipient, at most 64 characters. The LP that claims the order sees its result. Default: none.
   */
  recipient_check_id?: string;
}
export interface RatesRequest {
  /**
   * The fiat amount that the recipient receives. In units of `currency`, not in cents. Greater than 0 and at most 1,000,000,000,000, with at most 2 digits after the point.
   */
  amount: number;
  /**
   * The fiat currency that the recipient receives. An ISO 4217 currency code such as `KES`: three letters in upper or lower case.
   */
  currency: string;
  /**
   * The token with which the user pays. Default: `usdt`. A token symbol such as `usdt`: 2 to 16 letters and digits in upper or lower case.
   */
  crypto_symbol?: string;
  /**
   * The chain on which the user pays. Default: `trx`. One of `trx`, `eth`, `polygon`, `base`, `xrpl`.
   */
  crypto_chain?: string;
  /**
   * How the LP delivers the fiat: a method of the currency in `GET /api/v1/corridors`. Default: the default method of the currency, or `mobile_money` for a currency without a corridor. One line of 1 to 32 characters.
   */
  method?: string;
  /**
   * The code of the mobile network or bank, from `GET /api/v1/corridors`. Some methods require it. Default: none. One line of 1 to 32 characters.
   */
  institution?: string;
  /**
   * The fields of the recipient, as the method’s JSON Schema in `GET /api/v1/corridors` defines them: an object of texts.
   */
  recipient_details?: {
    [k: string]: string;
  };
}
export interface VerifyRecipientRequest {
  /**
   * The fiat currency that the recipient would receive. An ISO 4217 currency code such as `KES`: three letters in upper or lower case.
   */
  currency: string;
  /**
   * The phone number or account that receives the fiat by the method. Required without `recipient_details`. One line of 1 to 128 characters.
   */
  recipient?: string;
  /**
   * How the LP delivers the fiat: a method of the currency in `GET /api/v1/corridors`. Default: the default method of the currency, or `mobile_money` for a currency without a corridor. One line of 1 to 32 characters.
   */
  method?: string;
  /**
   * The code of the mobile network or bank, from `GET /api/v1/corridors`. Some methods require it. Default: none. One line of 1 to 32 characters.
   */
  institution?: string;
  /**
   * The fields of the recipient, as the method’s JSON Schema in `GET /api/v1/corridors` defines them: an object of texts.
   */
  recipient_details?: {
    [k: string]: string;
  };
  /**
   * The name of the recipient that the payer expects. Without it, the result only says whether the account exists. One line of 1 to 200 characters.
   */
  name?: string;
}
export interface OrdersQuery {
  /**
   * The `next_cursor` of the previous page, a positive whole number. Default: the first page.
   */
  cursor?: string;
  /**
   * Rows per page, from 1 to 100. Default: 20.
   */
  limit?: number;
  /**
   * Only orders with this status. One of `matched`, `claimed`, `fiat_sent`, `confirmed`, `crypto_verify_pending`, `completed`, `cancelled`, `disputed`. Default: all statuses.
   */
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
   * Only orders with this fiat currency. Default: all currencies. An ISO 4217 currency code such as `KES`: three letters in upper or lower case.
   */
  currency?: string;
  /**
   * Only orders created at this time or later. An ISO 8601 time with an offset, such as `2026-11-21T15:00:00Z`, or a date, which means its midnight in UTC; from 1970 to 9998.
   */
  created_from?: string;
  /**
   * Only orders created before this time. An ISO 8601 time with an offset, such as `2026-11-21T15:00:00Z`, or a date, which means its midnight in UTC; from 1970 to 9998.
   */
  created_to?: string;
}
export interface OwnOrdersQuery {
  /**
   * The `next_cursor` of the previous page, a positive whole number. Default: the first page.
   */
  cursor?: string;
  /**
   * Rows per page, from 1 to 100. Default: 20.
   */
  limit?: number;
  /**
   * Only orders with this status. One of `matched`, `claimed`, `fiat_sent`, `confirmed`, `crypto_verify_pending`, `completed`, `cancelled`, `disputed`. Default: all statuses.
   */
  status?:
    | 'matched'
    | 'claimed'
    | 'fiat_sent'
    | 'confirmed'
    | 'crypto_verify_pending'
    | 'completed'
    | 'cancelled'
    | 'disputed';
}
export interface WebhookDeliveriesQuery {
  /**
   * The id of one of the agent’s orders: a positive whole number. The response has all webhooks of this order, so no other parameter is allowed. Default: all orders, in pages.
   */
  order_id?: number;
  /**
   * Only webhooks in this state. One of `pending`, `delivered`, `exhausted`. Default: all.
   */
  state?: 'pending' | 'delivered' | 'exhausted';
  /**
   * The `next_cursor` of the previous page, a positive whole number. Default: the first page.
   */
  cursor?: string;
  /**
   * Rows per page, from 1 to 100. Default: 20.
   */
  limit?: number;
}
export interface RegisterRequest {
  /**
   * The XRP Ledger account that the LP operates. 1 to 128 printable ASCII characters without spaces.
   */
  xrpl_address: string;
  /**
   * The phone number at which the LP can be reached. One line of 1 to 32 characters.
   */
  mpesa_phone: string;
  /**
   * The name that agents and admins see. Default: `LP` and the LP’s id. One line of 1 to 200 characters.
   */
  display_name?: string;
  /**
   * The LP’s first rates: an object from ISO 4217 codes to rates, at most 50. Each is for the currency’s default method and holds for RATE_VALID_FOR. Units of the currency per 1 USD. Greater than 0 and at most 1,000,000,000, with at most 8 digits after the point. Default: no rates.
   */
  supported_currencies?: {
    /**
     * Units of the currency per 1 USD. Greater than 0 and at most 1,000,000,000, with at most 8 digits after the point.
     */
    [k: string]: number;
  };
  /**
   * The share of an order’s value that the LP adds to its price. Default: 0. In basis points (hundredths of a percent): a whole number from 0 to 10,000.
   */
  spread_bps?: number;
}
export interface TermsRequest {
  /**
   * The fiat currency that the LP pays out. An ISO 4217 currency code such as `KES`: three letters in upper or lower case.
   */
  currency: string;
  /**
   * The method of the corridor: one of the currency in `GET /api/v1/corridors`. Default: the default method of the currency, or `*`, any method, for a currency without a corridor. A body with only `currency` and `quoting` changes all of the LP’s terms in the currency. One line of 1 to 32 characters.
   */
  method?: string;
  /**
   * A fixed rate, at which the LP pays the currency out. The first terms of a corridor need it, or `offset_bps`. Default: the rate stays. Units of the currency per 1 USD. Greater than 0 and at most 1,000,000,000, with at most 8 digits after the point.
   */
  rate_usd?: number;
  /**
   * In place of `rate_usd`: a rate that follows the price source. In basis points (hundredths of a percent) above its price, below it if negative: a whole number from -1,000 to 1,000. Default: the rate stays.
   */
  offset_bps?: number;
  /**
   * How long the rate holds from now: whole seconds, from 1 to 86,400. Only with `rate_usd` or `offset_bps`. Default: the operator’s RATE_VALID_FOR, 86,400.
   */
  valid_for?: number;
  /**
   * The smallest order that the LP takes; `null`: any. Default: it stays; any for the first terms. In units of `currency`, not in cents. From 0 to 1,000,000,000,000, with at most 2 digits after the point.
   */
  min?: number | null;
  /**
   * The largest order that the LP takes; `null`: any. Default: it stays; any for the first terms. In units of `currency`, not in cents. Greater than 0 and at most 1,000,000,000,000, with at most 2 digits after the point.
   */
  max?: number | null;
  /**
   * The fiat that the LP can send for new orders, without the fiat reserved for its claimed orders; `null`: Corridor does not count it. Default: it stays; `null` for the first terms. In units of `currency`, not in cents. From 0 to 1,000,000,000,000, with at most 2 digits after the point.
   */
  float?: number | null;
  /**
   * The float that the LP read last, `null` if it is not counted. If it differs from the actual one, Corridor changes nothing and refuses with `float_changed`. Only with `float`. Default: `float` replaces any. In units of `currency`, not in cents. From 0 to 1,000,000,000,000, with at most 2 digits after the point.
   */
  expected_float?: number | null;
  /**
   * Below this float the LP gets the webhook `lp.float_low`; `null`: never. Default: it stays; `null` for the first terms. In units of `currency`, not in cents. From 0 to 1,000,000,000,000, with at most 2 digits after the point.
   */
  float_low?: number | null;
  /**
   * `false`: the LP gets no quotes and no offers of the corridor until it sends `true`. Default: it stays; `true` for the first terms.
   */
  quoting?: boolean;
}
export interface RateRequest {
  /**
   * The fiat currency that the LP pays out. An ISO 4217 currency code such as `KES`: three letters in upper or lower case.
   */
  currency: string;
  /**
   * The rate at which the LP pays it out. Units of the currency per 1 USD. Greater than 0 and at most 1,000,000,000, with at most 8 digits after the point.
   */
  rate_usd: number;
}
export interface AssetRequest {
  /**
   * The token that the LP accepts. A token symbol such as `usdt`: 2 to 16 letters and digits in upper or lower case.
   */
  symbol: string;
  /**
   * The chain on which the LP accepts it. One of `trx`, `eth`, `polygon`, `base`, `xrpl`.
   */
  chain: string;
  /**
   * The LP’s address on that chain, to which payers send the token. On `xrpl` it may be an X-address, which contains its destination tag. 1 to 128 printable ASCII characters without spaces.
   */
  address: string;
  /**
   * The destination tag that payments to the address must have, on `xrpl` only. Required if the account requires one. Default: none; payments must then have none. A whole number from 0 to 4,294,967,295.
   */
  destination_tag?: number;
}
export interface DepositRequest {
  /**
   * The collateral to deposit. In USD. Greater than 0 and at most 1,000,000,000, with at most 6 digits after the point.
   */
  amount: number;
  /**
   * The token of the deposit. Default: `usdt`. One of `usdt`, `usdc`.
   */
  asset?: string;
  /**
   * The chain of the deposit. Default: `trx`. One of `trx`, `eth`, `polygon`, `base`, `xrpl`.
   */
  chain?: string;
  /**
   * A transaction to confirm the deposit with, unless the confirmation names another. The exact amount is known only after the announcement, so omit this on a real chain. A transaction hash: 4 to 128 letters, digits, hyphens and underscores.
   */
  tx_hash?: string;
}
export interface ConfirmDepositRequest {
  /**
   * The transaction that pays the deposit. Default: the one that the announcement named. If neither names one, Corridor searches the chain for a transfer of exactly the amount after the announcement. Required if the chain’s node cannot be searched. On a simulated chain, a confirmation without any transaction is credited. A transaction hash: 4 to 128 letters, digits, hyphens and underscores.
   */
  tx_hash?: string;
}
export interface WithdrawRequest {
  /**
   * The collateral to withdraw. In USD. Greater than 0 and at most 1,000,000,000, with at most 6 digits after the point.
   */
  amount: number;
  /**
   * The address to pay to, on `chain`. 1 to 128 printable ASCII characters without spaces.
   */
  address: string;
  /**
   * The token to pay out. Default: `usdt`. One of `usdt`, `usdc`.
   */
  asset?: string;
  /**
   * The chain to pay on. Default: `trx`. One of `trx`, `eth`, `polygon`, `base`, `xrpl`.
   */
  chain?: string;
}
export interface AutoClaimRequest {
  /**
   * `true` lets Corridor claim orders for this LP; `false` stops it.
   */
  enabled: boolean;
  /**
   * Highest USD value of an order. Default: `null`, no limit. In USD. Greater than 0 and at most 1,000,000,000, with at most 6 digits after the point.
   */
  max_amount_usd?: number | null;
  /**
   * ISO 4217 codes of the currencies to claim, 1 to 200 of them. Corridor claims only orders that the LP’s terms take and for which its rate has not expired. Default: `null`, all currencies of the LP’s terms.
   */
  currencies?: string[] | null;
  /**
   * Lowest `est_profit_usd` of an order. A negative value accepts orders at a loss. Default: 0. In USD, from -1,000,000,000 to 1,000,000,000, with at most 6 digits after the point.
   */
  min_profit_usd?: number;
}
export interface LpWebhookRequest {
  /**
   * The URL that receives the webhooks: an http or https URL of at most 2,048 ASCII characters.
   */
  url: string;
  /**
   * The events to send. One of `order.open`, `order.updated`, `order.closed`, `lp.strike`, `lp.rate_expired`, `lp.float_low`, `lp.address_changed`, `lp.webhook_changed`, `lp.withdrawal_requested`. Default: all.
   *
   * @minItems 1
   * @maxItems 9
   */
  events?: (
    | 'order.open'
    | 'order.updated'
    | 'order.closed'
    | 'lp.strike'
    | 'lp.rate_expired'
    | 'lp.float_low'
    | 'lp.address_changed'
    | 'lp.webhook_changed'
    | 'lp.withdrawal_requested'
  )[];
  /**
   * How long the previous secret also signs. A whole number with `ms`, `s`, `m`, `h` or `d`, such as `24h`, or a number of seconds; at most `365d`. Default: `24h`.
   */
  overlap?: string | number;
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
/**
 * The code of the reason, for programs. More may follow. Null: nobody gave a reason.
 */
export type StatusReasonCode =
  | 'not_claimed'
  | 'fiat_not_sent'
  | 'receipt_without_report'
  | 'not_confirmed'
  | 'not_settled'
  | 'not_final'
  | 'key_revoked'
  | 'key_revoked_after_claim'
  | 'paid_late'
  | 'not_a_transaction_hash'
  | 'transaction_reverted'
  | 'transaction_failed'
  | 'not_a_payment'
  | 'paid_too_early'
  | 'other_token'
  | 'other_address'
  | 'no_transfer'
  | 'tag_missing'
  | 'tag_unexpected'
  | 'tag_wrong'
  | 'overpaid'
  | 'underpaid'
  | 'paid_by_platform'
  | 'transaction_used'
  | 'note'
  | 'bulk_note'
  | 'evidence_note'
  | 'agent_cancelled'
  | 'lp_released'
  | 'deadline_expired_now'
  | 'transaction_replaced'
  | 'commits_lost'
  | 'after_outage'
  | 'after_incident';
export type ErrorCode =
  | 'validation_failed'
  | 'bad_file_type'
  | 'too_many_receipts'
  | 'pricing_unavailable'
  | 'asset_not_accepted'
  | 'rate_off_reference'
  | 'unknown_user'
  | 'bad_rate_lock'
  | 'bad_recipient_check'
  | 'exposure_exceeded'
  | 'insufficient_collateral'
  | 'no_receive_address'
  | 'corridor_not_served'
  | 'outside_terms'
  | 'deposit_not_verified'
  | 'payout_not_verified'
  | 'key_invalid'
  | 'session_required'
  | 'agent_key_required'
  | 'agent_key_invalid'
  | 'agent_key_inactive'
  | 'agent_address_refused'
  | 'scope_missing'
  | 'admin_key_invalid'
  | 'admin_address_refused'
  | 'permission_missing'
  | 'lp_unauthorized'
  | 'lp_not_approved'
  | 'not_order_owner'
  | 'receipt_not_allowed'
  | 'not_found'
  | 'no_lp_available'
  | 'amounts_exhausted'
  | 'order_not_claimable'
  | 'agent_exposure_exceeded'
  | 'lp_cooling_down'
  | 'order_not_confirmed'
  | 'wrong_state'
  | 'order_frozen'
  | 'not_an_extension'
  | 'nothing_to_verify'
  | 'not_contested'
  | 'transaction_rejected'
  | 'not_replaceable'
  | 'too_many_replacements'
  | 'slash_too_high'
  | 'receipt_uploaded'
  | 'dispute_too_early'
  | 'address_taken'
  | 'name_taken'
  | 'float_changed'
  | 'amount_in_use'
  | 'idempotency_conflict'
  | 'transaction_used'
  | 'deposit_expired'
  | 'too_many_deposits'
  | 'deposit_lookups_used'
  | 'too_many_lookups'
  | 'delivery_pending'
  | 'order_masked'
  | 'withdrawal_decided'
  | 'own_proposal'
  | 'not_own_key'
  | 'approval_decided'
  | 'insufficient_balance'
  | 'balance_owed'
  | 'paused'
  | 'unavailable'
  | 'method_not_allowed'
  | 'invalid_json'
  | 'bad_multipart'
  | 'bad_request'
  | 'request_timeout'
  | 'headers_too_large'
  | 'payload_too_large'
  | 'rate_limited'
  | 'too_many_connections'
  | 'origin_refused'
  | 'internal';
export type LpWebhookEvent =
  | {
      type: 'order.open';
      /**
       * When the order changed.
       */
      timestamp: string;
      data: {
        /**
         * The position after this message. A client that resumes here receives the following messages.
         */
        cursor: string;
        order: Offer;
      };
    }
  | {
      type: 'order.updated';
      /**
       * When the order changed.
       */
      timestamp: string;
      status_reason_code: StatusReasonCode | null;
      data: {
        /**
         * The position after this message. A client that resumes here receives the following messages.
         */
        cursor: string;
        order: OwnOrderNews;
      };
    }
  | {
      type: 'order.closed';
      /**
       * When the order changed.
       */
      timestamp: string;
      data: {
        /**
         * The position after this message. A client that resumes here receives the following messages.
         */
        cursor: string;
        id: number;
        /**
         * The present status of the order; `frozen`: the order is frozen, and it may open again.
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
      };
    }
  | {
      type: 'lp.strike';
      /**
       * When the order changed.
       */
      timestamp: string;
      data: {
        /**
         * The order of the failed claim.
         */
        order_id: number;
      };
    }
  | {
      type: 'lp.rate_expired';
      /**
       * When the rate expired.
       */
      timestamp: string;
      data: {
        currency: string;
        /**
         * The method of the currency’s corridor; `*`: any method, in a currency without corridors.
         */
        method: string;
        /**
         * The rate that has expired; null: it is an offset.
         */
        rate_usd: number | null;
        /**
         * Basis points above the price source’s price; null: a fixed rate.
         */
        offset_bps: number | null;
        /**
         * When the rate expired.
         */
        valid_until: string;
      };
    }
  | {
      type: 'lp.float_low';
      /**
       * When Corridor noticed the low float.
       */
      timestamp: string;
      data: {
        currency: string;
        /**
         * The method of the currency’s corridor; `*`: any method, in a currency without corridors.
         */
        method: string;
        /**
         * Fiat that the LP can send for new orders, in the currency.
         */
        float: number;
        /**
         * Fiat reserved for the LP’s claimed orders, in the currency.
         */
        float_reserved: number;
        /**
         * The threshold below which the float is.
         */
        float_low: number;
      };
    }
  | {
      type: 'lp.address_changed';
      /**
       * When the address was registered.
       */
      timestamp: string;
      data: {
        symbol: string;
        chain: 'trx' | 'eth' | 'polygon' | 'base' | 'xrpl';
        /**
         * The address that was registered.
         */
        address: string;
        destination_tag: number | null;
        /**
         * Where the LP received the token until then. Null: it did not take this token before. The same as `address`: a change that waited was cancelled.
         */
        previous_address: string | null;
        previous_destination_tag: number | null;
        /**
         * From when on orders that the LP claims are paid at `address`. Null: at once.
         */
        takes_effect_at: string | null;
      };
    }
  | {
      type: 'lp.webhook_changed';
      /**
       * When the webhook was changed or removed.
       */
      timestamp: string;
      data: {
        /**
         * The host of the new URL. Null: webhooks are off.
         */
        host: string | null;
        /**
         * The new events. Null: webhooks are off.
         */
        events:
          | (
              | 'order.open'
              | 'order.updated'
              | 'order.closed'
              | 'lp.strike'
              | 'lp.rate_expired'
              | 'lp.float_low'
              | 'lp.address_changed'
              | 'lp.webhook_changed'
              | 'lp.withdrawal_requested'
            )[]
          | null;
      };
    }
  | {
      type: 'lp.withdrawal_requested';
      /**
       * When the withdrawal was requested.
       */
      timestamp: string;
      data: {
        /**
         * The withdrawal.
         */
        id: number;
        /**
         * In USD.
         */
        amount: number;
        asset: string;
        chain: Chain;
        /**
         * Where an admin is asked to pay the collateral.
         */
        address: string;
      };
    };
export type OrderChange =
  | {
      type: 'order.open';
      /**
       * The position after this message. A client that resumes here receives the following messages.
       */
      cursor: string;
      order: Offer;
    }
  | {
      type: 'order.closed';
      /**
       * The position after this message. A client that resumes here receives the following messages.
       */
      cursor: string;
      id: number;
      /**
       * The present status of the order; `frozen`: the order is frozen, and it may open again.
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
       * The position after this message. A client that resumes here receives the following messages.
       */
      cursor: string;
      status_reason_code: StatusReasonCode | null;
      order: OwnOrderNews;
    };
export type FeedMessage =
  | {
      type: 'hello';
      /**
       * The position after this message. A client that resumes here receives the following messages.
       */
      cursor: string;
      /**
       * Milliseconds between two pings.
       */
      heartbeat_ms: number;
    }
  | {
      type: 'snapshot';
      /**
       * The position after this message. A client that resumes here receives the following messages.
       */
      cursor: string;
      orders: Offer[];
    }
  | {
      type: 'resumed';
      /**
       * The position after this message. A client that resumes here receives the following messages.
       */
      cursor: string;
    }
  | {
      type: 'order.open';
      /**
       * The position after this message. A client that resumes here receives the following messages.
       */
      cursor: string;
      order: Offer;
    }
  | {
      type: 'order.closed';
      /**
       * The position after this message. A client that resumes here receives the following messages.
       */
      cursor: string;
      id: number;
      /**
       * The present status of the order; `frozen`: the order is frozen, and it may open again.
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
       * The position after this message. A client that resumes here receives the following messages.
       */
      cursor: string;
      status_reason_code: StatusReasonCode | null;
      order: OwnOrderNews;
    }
  | {
      type: 'error';
      error: string;
    };

export interface Done {
  ok: true;
}
export interface AssetAnswer {
  ok: true;
  /**
   * From when on orders that the LP claims are paid at the address. Left out: from now on.
   */
  takes_effect_at?: string;
}
export interface ConfirmAnswer {
  status: 'confirmed';
}
export interface CancelAnswer {
  status: 'cancelled';
}
export interface DisputeAnswer {
  status: 'disputed';
}
export interface LpDisputeAnswer {
  status: 'disputed' | 'frozen';
}
export interface TermsAnswer {
  ok: true;
  /**
   * The terms that the request has changed, as they are now.
   */
  terms: Terms[];
}
export interface Terms {
  currency: string;
  /**
   * The method of the currency’s corridor; `*`: any method, in a currency without corridors.
   */
  method: string;
  /**
   * Units of the currency per 1 USD; null: the rate is an offset, and the price source has no price now.
   */
  rate_usd: number | null;
  /**
   * Basis points above the price source’s price; null: a fixed rate.
   */
  offset_bps: number | null;
  /**
   * After this the rate is neither quoted nor used for automatic claims.
   */
  valid_until: string;
  /**
   * The smallest order, in the currency.
   */
  min: number;
  /**
   * The largest order, in the currency; null: any.
   */
  max: number | null;
  /**
   * Fiat that the LP can send for new orders, in the currency; null: Corridor does not count it.
   */
  float: number | null;
  /**
   * Fiat reserved for the LP’s claimed orders, in the currency.
   */
  float_reserved: number;
  /**
   * Below this float the LP gets the webhook `lp.float_low`; null: never.
   */
  float_low: number | null;
  /**
   * Whether the LP wants orders of this corridor now.
   */
  quoting: boolean;
  /**
   * When the LP last changed the terms.
   */
  updated_at: string;
  /**
   * Why payments do not use this rate now, or use it only for some orders; null if nothing about the rate prevents it.
   */
  not_quoted: string | null;
}
export interface LpTerms {
  terms: Terms[];
}
export interface RateAnswer {
  ok: true;
  /**
   * Why payments do not use this rate now, or use it only for some orders; null if nothing about the rate prevents it.
   */
  not_quoted: string | null;
}
export interface Corridors {
  corridors: {
    currency: string;
    name: string;
    /**
     * ISO 3166 codes of the countries of the recipients.
     */
    countries: string[];
    /**
     * The method of a payment that names none.
     */
    default_method: string;
    methods: {
      method: string;
      name: string;
      /**
       * Where the limits and the institutions come from.
       */
      source: string;
      /**
       * In units of `currency`.
       */
      min: number;
      /**
       * In units of `currency`.
       */
      max: number;
      /**
       * The mobile networks or banks.
       */
      institutions: {
        code: string;
        name: string;
      }[];
      /**
       * Whether a payment must name an institution.
       */
      institution_required: boolean;
      /**
       * The field that a bare `recipient` fills.
       */
      recipient_field: string;
      /**
       * The JSON Schema of `recipient_details`.
       */
      recipient: {
        type: 'object';
        /**
         * @minItems 1
         */
        required: string[];
        properties: {
          [k: string]: {
            type: 'string';
            title: string;
            description?: string;
            format?: 'phone' | 'iban';
            /**
             * @minItems 1
             */
            enum?: string[];
            pattern?: string;
            minLength?: number;
            maxLength: number;
          };
        };
        additionalProperties: false;
      };
      /**
       * Valid `recipient_details`.
       */
      examples: {
        [k: string]: string;
      }[];
      /**
       * Whether an LP could take an order of the minimum now.
       */
      available: boolean;
    }[];
  }[];
}
export interface RecipientCheck {
  /**
   * Usable for any number of payments to the recipient until it expires, with the same agent key.
   */
  recipient_check_id: string;
  /**
   * `matched`: the account’s holder has the expected name. `partial`: a part of the name agrees, or no name was expected and the account exists. `not_matched`: the holder has another name, or there is no such account. `unsupported`: the operator has no resolver. `unavailable`: the resolver gave no usable answer.
   */
  result: 'matched' | 'partial' | 'not_matched' | 'unsupported' | 'unavailable';
  /**
   * First letters of the holder’s name, such as `J••• M•••`; null if no name is known.
   */
  name_masked: string | null;
  expires_at: string;
}
export interface Payment {
  payment_id: string;
  order_id: number;
  status: 'matched';
  crypto_required: {
    /**
     * In units of the token.
     */
    amount: number;
    symbol: string;
    chain: Chain;
  };
  fiat_delivery: {
    /**
     * In units of `currency`.
     */
    amount: number;
    currency: string;
    recipient: string;
    recipient_name: string | null;
    method: string;
    /**
     * Present if the request named it.
     */
    institution?: string;
    /**
     * Present if the request had it.
     */
    recipient_details?: {
      [k: string]: string;
    };
    /**
     * The check of the recipient, present if the request named one.
     */
    recipient_check?: {
      recipient_check_id: string;
      /**
       * `matched`: the account’s holder has the expected name. `partial`: a part of the name agrees, or no name was expected and the account exists. `not_matched`: the holder has another name, or there is no such account. `unsupported`: the operator has no resolver. `unavailable`: the resolver gave no usable answer.
       */
      result: 'matched' | 'partial' | 'not_matched' | 'unsupported' | 'unavailable';
      /**
       * First letters of the holder’s name, such as `J••• M•••`; null if no name is known.
       */
      name_masked: string | null;
      checked_at: string;
    };
  };
  /**
   * For display, such as "1 USD = 129.5 KES".
   */
  rate: string;
  /**
   * Null at creation, because any LP may claim the order. Pay to `lp_receive_address` of the claimed order, with its `destination_tag` if it has one.
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
    /**
     * In units of the token.
     */
    amount: number;
    symbol: string;
    chain: Chain;
  };
  fiat_delivery: {
    /**
     * In units of `currency`.
     */
    amount: number;
    currency: string;
    recipient: string;
    recipient_name: string | null;
    method: string;
    /**
     * Present if the request named it.
     */
    institution?: string;
    /**
     * Present if the request had it.
     */
    recipient_details?: {
      [k: string]: string;
    };
    /**
     * The check of the recipient, present if the request named one.
     */
    recipient_check?: {
      recipient_check_id: string;
      /**
       * `matched`: the account’s holder has the expected name. `partial`: a part of the name agrees, or no name was expected and the account exists. `not_matched`: the holder has another name, or there is no such account. `unsupported`: the operator has no resolver. `unavailable`: the resolver gave no usable answer.
       */
      result: 'matched' | 'partial' | 'not_matched' | 'unsupported' | 'unavailable';
      /**
       * First letters of the holder’s name, such as `J••• M•••`; null if no name is known.
       */
      name_masked: string | null;
      checked_at: string;
    };
  };
  /**
   * For display, such as "1 USD = 129.5 KES".
   */
  rate: string;
  /**
   * Null at creation, because any LP may claim the order. Pay to `lp_receive_address` of the claimed order, with its `destination_tag` if it has one.
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
   * Usable for one payment, with the same agent key.
   */
  rate_lock_id: string;
  /**
   * For display, such as "1 USD = 129.5 KES".
   */
  rate: string;
  /**
   * Units of the currency per 1 USD.
   */
  rate_usd: number;
  /**
   * In units of the token.
   */
  crypto_amount: number;
  /**
   * In USD.
   */
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
  /**
   * In units of `currency`.
   */
  amount_fiat: number;
  currency: string;
  crypto_symbol: string;
  /**
   * In units of the token.
   */
  crypto_amount: number;
  tx_hash: string | null;
  created_at: string;
  completed_at: string | null;
  /**
   * The check of the recipient, present if the payment named one.
   */
  recipient_check?: {
    recipient_check_id: string;
    /**
     * `matched`: the account’s holder has the expected name. `partial`: a part of the name agrees, or no name was expected and the account exists. `not_matched`: the holder has another name, or there is no such account. `unsupported`: the operator has no resolver. `unavailable`: the resolver gave no usable answer.
     */
    result: 'matched' | 'partial' | 'not_matched' | 'unsupported' | 'unavailable';
    /**
     * First letters of the holder’s name, such as `J••• M•••`; null if no name is known.
     */
    name_masked: string | null;
    checked_at: string;
  };
}
export interface OrdersPage {
  orders: OrderStatusView[];
  /**
   * Null on the last page.
   */
  next_cursor: string | null;
}
export interface OwnOrdersPage {
  orders: OwnOrder[];
  /**
   * The `cursor` for the next page; null on the last page.
   */
  next_cursor: string | null;
}
export interface OwnOrder {
  id: number;
  status: OrderStatus;
  /**
   * In units of `currency`.
   */
  amount_fiat: number;
  currency: string;
  /**
   * In USD.
   */
  amount_usd: number;
  crypto_symbol: string;
  crypto_chain: Chain;
  /**
   * In units of the token.
   */
  amount_crypto: number;
  /**
   * How the LP delivers the fiat: a method of the currency in `GET /api/v1/corridors`.
   */
  method: string;
  /**
   * The code of the mobile network or bank, if the agent named one.
   */
  institution: string | null;
  /**
   * The ends of the recipient. Only the owner sees all of it.
   */
  recipient_masked: string;
  /**
   * USD of collateral that a claim by this LP locks.
   */
  collateral_required: number;
  /**
   * The LP’s profit from the order, by its own rate for the corridor when it claimed the order; rounded down to the cent. May be negative. Null: it had no rate there that held, or it no longer has the order.
   */
  est_profit_usd: number | null;
  /**
   * When the order can no longer be claimed.
   */
  expires_at: string;
  created_at: string;
  /**
   * Whether this LP owns the order now.
   */
  owned: boolean;
  /**
   * Deadline of the current stage.
   */
  timeout_at: string | null;
  collateral_locked: number | null;
  lp_receive_address: string | null;
  destination_tag: number | null;
  user_crypto_tx_hash: string | null;
  /**
   * The recipient of the fiat.
   */
  recipient: string | null;
  recipient_name: string | null;
  /**
   * The fields of the recipient, by name; null for a currency without a corridor.
   */
  recipient_details: {
    [k: string]: string;
  } | null;
  /**
   * The check of the recipient that the payment named, or null.
   */
  recipient_check: {
    recipient_check_id: string;
    /**
     * `matched`: the account’s holder has the expected name. `partial`: a part of the name agrees, or no name was expected and the account exists. `not_matched`: the holder has another name, or there is no such account. `unsupported`: the operator has no resolver. `unavailable`: the resolver gave no usable answer.
     */
    result: 'matched' | 'partial' | 'not_matched' | 'unsupported' | 'unavailable';
    /**
     * First letters of the holder’s name, such as `J••• M•••`; null if no name is known.
     */
    name_masked: string | null;
    checked_at: string;
  } | null;
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
     * The LP, if an LP acted.
     */
    lp_id: number | null;
    /**
     * The command or event: `pay`, `claim`, `deadline` …
     */
    cause: string;
    /**
     * An explanation for people.
     */
    reason: string | null;
    reason_code: StatusReasonCode | null;
    at: string;
  }[];
  /**
   * The incidents that stop or have stopped the order’s clock, oldest first.
   */
  incidents: {
    /**
     * Null: the incident is of a chain.
     */
    currency: string | null;
    /**
     * Null: every method of the currency.
     */
    method: string | null;
    /**
     * Null: the incident is of a currency.
     */
    chain: Chain | null;
    reason: string;
    opened_at: string;
    /**
     * Null: it is open.
     */
    closed_at: string | null;
  }[];
  /**
   * Null: the order has ended.
   */
  next: {
    waiting_for: 'lp' | 'agent' | 'chain' | 'admin';
    /**
     * Null: no deadline runs.
     */
    due_at: string | null;
    /**
     * An open incident has stopped the clock: the deadline does not expire, and moves by the time lost when the incident is closed. Null: the clock runs, or there is none.
     */
    stopped: {
      since: string;
      reason: string;
    } | null;
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
   * When the status changed. A repeated webhook has the same order_id, status and timestamp.
   */
  timestamp: string;
  status_reason_code: StatusReasonCode | null;
  /**
   * The fields of the order that are not null. If the LP’s address has a destination tag, `lp_receive_address` is the X-address, which contains it.
   */
  data: {
    id?: number;
    user_id?: number;
    lp_id?: number | null;
    type?: string;
    /**
     * In units of `currency`.
     */
    amount_fiat?: number;
    currency?: string;
    /**
     * In USD.
     */
    amount_usd?: number;
    /**
     * In units of the token.
     */
    amount_crypto?: number;
    crypto_symbol?: string;
    crypto_chain?: Chain;
    lp_receive_address?: string | null;
    user_crypto_tx_hash?: string | null;
    spread_bps?: number;
    /**
     * In USD.
     */
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
    /**
     * Host of `callback_url`. Only the LP that claimed the order sees it.
     */
    callback_host?: string | null;
    receipt_url?: string | null;
  };
}
export interface Offer {
  id: number;
  status: OrderStatus;
  /**
   * In units of `currency`.
   */
  amount_fiat: number;
  currency: string;
  /**
   * In USD.
   */
  amount_usd: number;
  crypto_symbol: string;
  crypto_chain: Chain;
  /**
   * In units of the token.
   */
  amount_crypto: number;
  /**
   * How the LP delivers the fiat: a method of the currency in `GET /api/v1/corridors`.
   */
  method: string;
  /**
   * The code of the mobile network or bank, if the agent named one.
   */
  institution: string | null;
  /**
   * The ends of the recipient. Only the owner sees all of it.
   */
  recipient_masked: string;
  /**
   * USD of collateral that a claim by this LP locks.
   */
  collateral_required: number;
  /**
   * The LP’s profit from the order, by its own rate for the corridor; rounded down to the cent. May be negative. Null: the LP has no rate there that holds now, so its cost is not known. Do not claim such an order unless you know the price.
   */
  est_profit_usd: number | null;
  /**
   * When the order can no longer be claimed.
   */
  expires_at: string;
  created_at: string;
}
export interface OwnOrderNews {
  id: number;
  lp_id: number | null;
  type: string;
  /**
   * In units of `currency`.
   */
  amount_fiat: number;
  currency: string;
  /**
   * In USD.
   */
  amount_usd: number;
  /**
   * In units of the token.
   */
  amount_crypto: number;
  crypto_symbol: string;
  crypto_chain: Chain;
  lp_receive_address: string | null;
  /**
   * The destination tag that payments to the address must have, on `xrpl` only.
   */
  destination_tag?: number;
  user_crypto_tx_hash: string | null;
  spread_bps: number;
  /**
   * In USD.
   */
  fee_usd: number;
  status: OrderStatus;
  /**
   * Deadline of the current stage.
   */
  timeout_at: string | null;
  created_at: string;
  completed_at: string | null;
  cancelled_at: string | null;
  /**
   * Host of `callback_url`. Only the LP that claimed the order sees it.
   */
  callback_host?: string | null;
  /**
   * Why the order moved, as its timeline shows it. Null if nobody gave a reason.
   */
  status_reason: string | null;
  recipient?: string;
  recipient_name?: string | null;
  recipient_details?: {
    [k: string]: string;
  } | null;
  recipient_check?: {
    recipient_check_id: string;
    /**
     * `matched`: the account’s holder has the expected name. `partial`: a part of the name agrees, or no name was expected and the account exists. `not_matched`: the holder has another name, or there is no such account. `unsupported`: the operator has no resolver. `unavailable`: the resolver gave no usable answer.
     */
    result: 'matched' | 'partial' | 'not_matched' | 'unsupported' | 'unavailable';
    /**
     * First letters of the holder’s name, such as `J••• M•••`; null if no name is known.
     */
    name_masked: string | null;
    checked_at: string;
  } | null;
  method?: string;
  institution?: string | null;
}
export interface LpWebhook {
  /**
   * `stopped`: the receiver failed for too long. Set the URL again to turn the webhooks on.
   */
  state: 'on' | 'off' | 'stopped';
  /**
   * Null while webhooks are off.
   */
  url: string | null;
  events: (
    | 'order.open'
    | 'order.updated'
    | 'order.closed'
    | 'lp.strike'
    | 'lp.rate_expired'
    | 'lp.float_low'
    | 'lp.address_changed'
    | 'lp.webhook_changed'
    | 'lp.withdrawal_requested'
  )[];
  /**
   * Webhooks that wait for their delivery.
   */
  waiting: number;
  last_delivered_at: string | null;
  /**
   * Since when no attempt has succeeded; null: the receiver works.
   */
  failing_since: string | null;
  last_error: string | null;
  stopped_at: string | null;
}
export interface NewLpWebhook {
  url: string;
  events: (
    | 'order.open'
    | 'order.updated'
    | 'order.closed'
    | 'lp.strike'
    | 'lp.rate_expired'
    | 'lp.float_low'
    | 'lp.address_changed'
    | 'lp.webhook_changed'
    | 'lp.withdrawal_requested'
  )[];
  /**
   * Signs the webhooks: a key of Standard Webhooks. Shown only once.
   */
  secret: string;
  warning: string;
}
export interface WebhookDelivery {
  /**
   * The id for the redeliver path. `webhook-id` is `msg_` followed by this id.
   */
  id: number;
  order_id: number;
  /**
   * The transition that the webhook reports, numbered as in the timeline.
   */
  seq: number;
  /**
   * The status that the webhook reports.
   */
  status: OrderStatus;
  /**
   * The outcome of the last delivery.
   */
  state: 'pending' | 'delivered' | 'exhausted';
  created_at: string;
  /**
   * The bytes that Corridor sends. Null before the first attempt, and after the order was masked.
   */
  body: string | null;
  attempts: {
    /**
     * The number of the attempt. Continues after a redelivery.
     */
    attempt: number;
    /**
     * The status of the receiver’s response; null without a response.
     */
    status_code: number | null;
    error: string | null;
    duration_ms: number;
    at: string;
    /**
     * The first 200 characters of what the agent’s server answered, or `•••` if they could name the order’s recipient. Null without a response, after the order was masked, and for a webhook to an LP. The server wrote it: never show it as HTML.
     */
    answer: string | null;
  }[];
}
export interface WebhookDeliveries {
  /**
   * With `order_id`, the oldest first. Otherwise the newest order first, and its last webhook first.
   */
  deliveries: WebhookDelivery[];
  /**
   * The `cursor` for the next page; null on the last page.
   */
  next_cursor: string | null;
}
export interface OwnKey {
  id: number;
  name: string | null;
  integrator_name: string | null;
  /**
   * What the key may do; null: everything that agents may.
   */
  scopes: ('pay' | 'read' | 'confirm' | 'settle' | 'cancel' | 'dispute' | 'webhooks')[] | null;
  /**
   * From then on the key is refused; null: it does not expire.
   */
  expires_at: string | null;
  /**
   * Where the key is accepted; null: everywhere.
   */
  allowed_ips: string[] | null;
  created_at: string;
  /**
   * When the key itself was sent before this request, to the minute. A sign-in to the console counts, and what its pages then read does not.
   */
  last_used_at: string | null;
  /**
   * From where that was.
   */
  last_used_address: string | null;
  /**
   * How many requests the key may make within a minute; null: any number.
   */
  requests_per_minute: number | null;
  /**
   * The agent’s unsettled USD.
   */
  exposure: {
    /**
     * Corridor refuses payments above it; null: no limit.
     */
    limit_usd: number | null;
    /**
     * The value of the live orders: open ones and those with an LP.
     */
    used_usd: number;
    /**
     * What new payments may be worth now; null: no limit.
     */
    left_usd: number | null;
  };
}
export interface Registration {
  lp_id: number;
  /**
   * The secret of this LP. Shown only once.
   */
  lp_key: string;
  user_id: number;
}
export interface DepositAnswer {
  ok: true;
  /**
   * In USD, as announced.
   */
  amount: number;
  asset: string;
  /**
   * The id for the confirm path.
   */
  deposit_id: number;
  /**
   * The transfer that pays the deposit.
   */
  pay_to: {
    chain: Chain;
    address: string;
    /**
     * Send exactly this many tokens in one transfer. It is the announced amount plus less than a cent, and all of it is credited.
     */
    amount: number;
    /**
     * The destination tag that payments to the address must have, on `xrpl` only.
     */
    destination_tag?: number;
  };
  /**
   * Send the tokens and confirm the deposit before this time.
   */
  expires_at: string;
}
export interface Withdrawal {
  id: number;
  /**
   * In USD.
   */
  amount: number;
  asset: string;
  chain: Chain;
  address: string;
  status: 'requested' | 'paid' | 'rejected';
  /**
   * The transaction of the payout, if the admin has given it.
   */
  tx_hash: string | null;
  /**
   * The reason for the rejection.
   */
  reason: string | null;
  created_at: string;
  decided_at: string | null;
}
export interface ReplayedWithdrawal {
  id: number;
  /**
   * In USD.
   */
  amount: number;
  asset: string;
  chain: Chain;
  address: string;
  status: 'requested' | 'paid' | 'rejected';
  /**
   * The transaction of the payout, if the admin has given it.
   */
  tx_hash: string | null;
  /**
   * The reason for the rejection.
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
   * The destination tag that payments to the address must have, on `xrpl` only.
   */
  destination_tag?: number;
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
   * `matched`: the order is offered to other LPs. `cancelled`: it has ended.
   */
  status: OrderStatus;
}
export interface Receipt {
  ok: true;
  order_id: number;
  receipt_key: string;
  /**
   * Readable with the key of the order’s LP, its agent or an admin.
   */
  receipt_url: string;
}
export interface Dashboard {
  lp: {
    id: number;
    display_name: string;
    status: 'pending' | 'approved' | 'suspended';
    tier: number;
    spread_bps: number;
    /**
     * Since the registration.
     */
    orders_completed: number;
    /**
     * The share of completed orders among its last 100 outcomes. Null before the first.
     */
    completion_rate: number | null;
    /**
     * Median seconds from the claim to the fiat, over its last 100 completed orders. Null before the first.
     */
    median_fiat_seconds: number | null;
    /**
     * The number of orders that were quoted from it and expired unclaimed although it could have claimed them, among the last 100 orders that it claimed or left unclaimed. For each, it ranks as if its price were one percent higher. If most of the last ten expired so, and at least five, it ranks behind all other LPs for a day.
     */
    unclaimed_quotes: number;
    /**
     * Failed claims in the last 30 days that no admin has forgiven.
     */
    strikes: number;
    /**
     * When the cool-down after a strike ends. Until then the LP is not quoted and cannot claim. Null: it is not cooling down.
     */
    cooling_down_until: string | null;
    /**
     * The number of further releases that cost no strike now, if each follows soon after its claim. Each free release counts for 24 hours.
     */
    free_releases_left: number;
    xrpl_address: string;
    mpesa_phone: string;
    created_at: string;
    collateral: {
      /**
       * In USD.
       */
      available: number;
      /**
       * In USD.
       */
      locked: number;
    };
    auto_claim: {
      enabled: boolean;
      max_amount_usd: number | null;
      currencies: string[] | null;
      min_profit_usd: number;
    };
    webhook: LpWebhook;
    /**
     * What is out of order now, oldest first: claims are refused there, and the clocks of orders that wait for it stand still.
     */
    incidents: {
      /**
       * Null: the incident is of a chain.
       */
      currency: string | null;
      /**
       * Null: every method of the currency.
       */
      method: string | null;
      /**
       * Null: the incident is of a currency.
       */
      chain: Chain | null;
      reason: string;
      opened_at: string;
    }[];
    /**
     * How long the LP has to send the fiat after a claim, for an order created now.
     */
    fiat_within_seconds: number;
  };
  rates: Terms[];
  assets: {
    symbol: string;
    chain: Chain;
    /**
     * Where orders that the LP claims now are paid.
     */
    address: string;
    destination_tag: number | null;
    created_at: string;
    /**
     * The change of the address that waits. To cancel it, register the present address again.
     */
    pending: {
      address: string;
      destination_tag: number | null;
      /**
       * From then on, orders that the LP claims are paid there.
       */
      takes_effect_at: string;
    } | null;
  }[];
  open_orders: Offer[];
  /**
   * Newest first, at most 20: the newest 10, then those that wait for the LP’s fiat, then others that have not ended, then further new ones. `GET /api/lp/{lp_key}/orders` has all.
   */
  my_orders: OwnOrder[];
}
export interface Balance {
  balance: {
    /**
     * In USD.
     */
    available: number;
    /**
     * In USD.
     */
    locked: number;
    /**
     * Reserved for withdrawals that wait for an admin’s decision.
     */
    withdrawing: number;
    /**
     * The sum of the three.
     */
    total: number;
  };
  recent_deposits: {
    id: number;
    /**
     * In USD: the exact amount that pays the deposit and is credited.
     */
    amount: number;
    asset: string;
    chain: Chain;
    tx_hash: string | null;
    status: 'pending' | 'confirmed' | 'expired';
    created_at: string;
    expires_at: string;
    confirmed_at: string | null;
  }[];
  recent_withdrawals: Withdrawal[];
  recent_fees: {
    order_id: number;
    /**
     * In USD.
     */
    amount: number;
    created_at: string;
  }[];
  /**
   * Where to send collateral, by chain. Announce a deposit first: only exactly its amount is credited.
   */
  deposit_addresses: {
    chain: Chain;
    address: string;
    /**
     * The destination tag that payments to the address must have, on `xrpl` only.
     */
    destination_tag?: number;
  }[];
  /**
   * USD of fees that all LPs have paid to Corridor.
   */
  platform_total_fees: number;
}
export interface Order {
  id: number;
  user_id?: number;
  lp_id: number | null;
  type: string;
  /**
   * In units of `currency`.
   */
  amount_fiat: number;
  currency: string;
  /**
   * In USD.
   */
  amount_usd: number;
  /**
   * In units of the token.
   */
  amount_crypto: number;
  crypto_symbol: string;
  crypto_chain: Chain;
  lp_receive_address: string | null;
  /**
   * The destination tag that payments to the address must have, on `xrpl` only.
   */
  destination_tag?: number;
  user_crypto_tx_hash: string | null;
  spread_bps: number;
  /**
   * In USD.
   */
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
  /**
   * Host of `callback_url`. Only the LP that claimed the order sees it.
   */
  callback_host?: string | null;
  receipt_url?: string | null;
}
export interface OpenOrders {
  orders: Offer[];
  count: number;
  poll_again_ms: number;
  /**
   * Pass it in the next call, so that no order is missed or repeated.
   */
  cursor: string;
}
export interface ChangesPage {
  changes: OrderChange[];
  /**
   * The position after this message. A client that resumes here receives the following messages.
   */
  cursor: string;
  poll_again_ms: number;
}
