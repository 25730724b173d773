import type { OrderPage } from '../api/resources/admin-orders/schemas.ts';
import { tableOf } from './output.ts';

/** One line per order. */
export const orderTable = tableOf<OrderPage['orders'][number]>({
  ...{ id: 'id', status: 'status', fiat: 'amount_fiat', currency: 'currency', USD: 'amount_usd' },
  ...{ 'agent key': 'agent_key_id', user: 'user_id', LP: 'lp_id' },
  ...{ 'created (UTC)': 'created_at', 'due (UTC)': 'timeout_at' },
  frozen: ({ frozen, contested_by }) => (contested_by === null ? frozen && 'yes' : `by LP ${contested_by}`),
  why: 'status_reason',
});
