import type { Order } from '../../../db/entities/order.ts';
import { orderView } from '../../../domain/order-view.ts';
import type { Posting } from '../../../orders/resolution-postings.ts';
import type { AdminOrder } from './schemas.ts';

type AdminPart = Pick<
  AdminOrder,
  'agent_key_id' | 'status_reason' | 'version' | 'frozen' | 'collateral_locked' | 'slashed_usd'
>;

/** An order for admins. */
export const adminOrderView = (order: Order): AdminOrder => ({
  ...(orderView(order, 'party') as Omit<AdminOrder, keyof AdminPart>),
  agent_key_id: order.agent_key_id,
  status_reason: order.status_reason ?? null,
  version: order.version,
  frozen: order.frozen_ms !== null && order.frozen_ms !== undefined,
  collateral_locked: order.collateral_locked ? Number(order.collateral_locked) : null,
  slashed_usd: order.slashed_usd ? Number(order.slashed_usd) : null,
});

export const postingView = ({ purpose, debit, credit, amount }: Posting) => ({
  purpose,
  debit,
  credit,
  amount_usd: Number(amount),
});
