import type { Order } from '../db/entities/order.ts';

/** The columns that a new order sets. The others have defaults. */
export const NEW_ORDER_COLUMNS = [
  'id',
  'payment_id',
  'agent_key_id',
  'user_id',
  'lp_id',
  'amount_fiat',
  'currency',
  'rate_usd',
  'spread_bps',
  'amount_usd',
  'fee_usd',
  'amount_crypto',
  'crypto_symbol',
  'crypto_chain',
  'recipient',
  'recipient_name',
  'method',
  'corridor_method',
  'institution',
  'recipient_details',
  'recipient_check',
  'callback_url',
  'status',
  'expires_at',
  'timeout_at',
  'stage_ms',
  'traceparent',
] as const satisfies (keyof Order)[];
export type NewOrder = Pick<Order, Exclude<(typeof NEW_ORDER_COLUMNS)[number], 'traceparent'>> &
  Partial<Pick<Order, 'traceparent'>>;
