import type { Chain } from '../../domain/assets.ts';
import type { OfferView } from '../../domain/offer-view.ts';
import type { OrderStatus } from '../../domain/order-state.ts';
import type { BoundRecipientCheck } from '../../domain/recipient-check.ts';
import type { ReasonCode } from '../../domain/status-reasons.ts';

/** An order of the LP's own. The last six fields are present while the LP owns the order. */
export interface OwnOrder {
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
  destination_tag?: number | undefined;
  user_crypto_tx_hash: string | null;
  spread_bps: number;
  fee_usd: number;
  status: OrderStatus;
  status_reason: string | null;
  timeout_at: string | null;
  created_at: string;
  completed_at: string | null;
  cancelled_at: string | null;
  recipient?: string | undefined;
  recipient_name?: string | null | undefined;
  recipient_details?: Record<string, string> | null | undefined;
  recipient_check?: BoundRecipientCheck | null | undefined;
  method?: string | undefined;
  institution?: string | null | undefined;
}

/** An LP's view of one change to the orders: on the socket and in the responses of `orders/changes`. */
export type OrderChange =
  | { type: 'order.open'; cursor: string; order: OfferView }
  | { type: 'order.closed'; cursor: string; id: number; reason: OrderStatus | 'frozen' }
  | { type: 'order.updated'; cursor: string; status_reason_code: ReasonCode | null; order: OwnOrder };

/** A message from the server on the socket. */
export type FeedMessage =
  | { type: 'hello'; cursor: string; heartbeat_ms: number }
  | { type: 'snapshot'; cursor: string; orders: OfferView[] }
  | { type: 'resumed'; cursor: string }
  | OrderChange
  | { type: 'error'; error: string };
