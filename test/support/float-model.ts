import type { OrderStatus } from '../../src/domain/order-state.ts';

/** An LP's terms by the documented rules. Amounts are in cents of the currency. */
export interface LpModel {
  id: number;
  /** Available for new orders. Null: Corridor does not count it. */
  available: number | null;
  reserved: number;
  /** Sent for completed orders. */
  used: number;
  /** What the LP has put in since Corridor counts its float. The sum of `available`, `reserved` and `used` equals it. */
  put: number;
  min: number;
  max: number | null;
  quoting: boolean;
  fresh: boolean;
}

export interface OrderModel {
  id: number;
  amount: number;
  /** The LP whose float the order holds or has used, and how much. */
  held: { lp: LpModel; cents: number } | null;
  hasEnded: boolean;
  /** Restores an earlier state of the order's rows. */
  copy: { restore: () => Promise<unknown>; held: OrderModel['held']; status: OrderStatus } | null;
}

export const takes = ({ min, max, available }: LpModel, amount: number): boolean =>
  amount >= min && (max === null || amount <= max) && (available === null || amount <= available);

/** The LP claims the order. */
export function reserve(order: OrderModel, lp: LpModel): void {
  if (lp.available === null) return;
  lp.available -= order.amount;
  lp.reserved += order.amount;
  order.held = { lp, cents: order.amount };
}

/** The claim ends: the LP has sent the fiat, or it has not. */
export function end({ held }: OrderModel, isUsed: boolean): void {
  if (!held) return;
  const { lp } = held;
  lp.reserved -= held.cents;
  if (isUsed) lp.used += held.cents;
  else if (lp.available !== null) lp.available += held.cents;
  // Corridor does not count what returns to this float.
  else lp.put -= held.cents;
}

/** The LP publishes what it can send for new orders. */
export function setFloat(lp: LpModel, available: number | null): void {
  lp.available = available;
  lp.put = (available ?? 0) + lp.reserved + lp.used;
}

/** Removes the float that an order held in this status from the model (`sign` -1), or adds it (1). */
export function undo(held: OrderModel['held'], status: OrderStatus, sign: 1 | -1): void {
  if (!held) return;
  const { lp } = held;
  if (status === 'completed') lp.used += sign * held.cents;
  else lp.reserved += sign * held.cents;
  if (lp.available === null) lp.put += sign * held.cents;
  else lp.available -= sign * held.cents;
}
