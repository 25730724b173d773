import type { z } from 'zod';
import type { Order } from '../../../db/entities/order.ts';
import type { Database } from '../../../db/orm.ts';
import { maskRecipient, orderView } from '../../../domain/order-view.ts';
import { contestingLps, type FormerReceipt } from '../../../market/lps/lost-order.ts';
import { stoppedOrders } from '../../../orders/order-incidents.ts';
import type { Posting } from '../../../orders/resolution-postings.ts';
import { receiptUrlOf } from '../receipts/schemas.ts';
import type { AdminOrder, adminOrderDetail } from './schemas.ts';

type AdminPart = Pick<
  AdminOrder,
  | 'agent_key_id'
  | 'status_reason'
  | 'status_reason_code'
  | 'version'
  | 'frozen'
  | 'clock_stopped'
  | 'contested_by'
  | 'collateral_locked'
  | 'slashed_usd'
>;

/** Orders for admins. */
export async function adminOrderViews(db: Database, orders: Order[]): Promise<AdminOrder[]> {
  const frozen = orders.filter(isFrozen).map(({ id }) => id);
  const contested = await contestingLps(db, frozen);
  const stopped = await stoppedOrders(
    db,
    orders.map(({ id }) => id),
  );
  return orders.map((order) => ({
    ...adminOrderView(order, contested.get(order.id) ?? null),
    clock_stopped: stopped.has(order.id),
  }));
}

type Detail = z.output<typeof adminOrderDetail>;
type Names = Pick<Detail, 'agent_name' | 'lp_name' | 'user_name'>;
type Delivery = Pick<Detail, 'method' | 'institution' | 'recipient_masked'>;

const NAMES = `
  select coalesce(k.name, k.integrator_name) as agent_name, lp.display_name as lp_name, u.name as user_name
  from orders o join agent_key k on k.id = o.agent_key_id join app_user u on u.id = o.user_id
  left join lp on lp.id = o.lp_id
  where o.id = $1`;

/** How the order's fiat is delivered. Not in lists, which need no part of a recipient. */
export const deliveryIn = ({ method, institution, recipient }: Order): Delivery => ({
  method,
  institution: institution ?? null,
  recipient_masked: maskRecipient(recipient),
});

/** The receipts of LPs that have lost the order, as admins read them. */
export const evidenceIn = (receipts: FormerReceipt[], publicUrl: string): Detail['evidence'] =>
  receipts.map(({ receiptKey, lpId, lpName, at }) => ({
    ...{ lp_id: lpId, lp_name: lpName, at: at.toISOString() },
    receipt_url: receiptUrlOf(publicUrl, receiptKey),
  }));

/** The names of an order's parties and of its user. */
export async function namesIn(db: Database, { id }: Order): Promise<Names> {
  const [names] = await db.query<Names>('order-names', NAMES, [id]);
  if (!names) throw new Error(`Order ${id} is no longer in the database`);
  return names;
}

const isFrozen = ({ frozen_ms }: Order): boolean => frozen_ms !== null && frozen_ms !== undefined;

const adminOrderView = (order: Order, contestedBy: number | null): Omit<AdminOrder, 'clock_stopped'> => ({
  ...(orderView(order, 'party') as Omit<AdminOrder, keyof AdminPart>),
  agent_key_id: order.agent_key_id,
  status_reason: order.status_reason ?? null,
  status_reason_code: order.status_reason_code ?? null,
  version: order.version,
  frozen: isFrozen(order),
  contested_by: contestedBy,
  collateral_locked: order.collateral_locked ? Number(order.collateral_locked) : null,
  slashed_usd: order.slashed_usd ? Number(order.slashed_usd) : null,
});

export const postingView = ({ purpose, debit, credit, amount }: Posting) => ({
  purpose,
  debit,
  credit,
  amount_usd: Number(amount),
});
