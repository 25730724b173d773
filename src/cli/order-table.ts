import type { OrderPage } from '../api/resources/admin-orders/schemas.ts';
import { minute, table } from './output.ts';

/** One line per order. */
export const orderTable = (orders: OrderPage['orders']): string =>
  table(orders, {
    id: (order) => order.id,
    status: (order) => order.status,
    fiat: (order) => order.amount_fiat,
    currency: (order) => order.currency,
    USD: (order) => order.amount_usd,
    'agent key': (order) => order.agent_key_id,
    user: (order) => order.user_id,
    LP: (order) => order.lp_id,
    'created (UTC)': (order) => minute(order.created_at),
    'due (UTC)': (order) => minute(order.timeout_at),
    frozen: ({ frozen, contested_by }) => (contested_by === null ? frozen && 'yes' : `by LP ${contested_by}`),
    why: (order) => order.status_reason,
  });
