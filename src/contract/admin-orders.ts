import { z } from 'zod';
import { id, money, orderStatus } from './answers.ts';
import { currency, instant } from './fields.ts';
import { orderResponse } from './orders.ts';
import { idInQuery, nextCursor, pageQuery } from './pages.ts';

/** `GET /api/admin/orders`. */
export const orderQuery = pageQuery.extend({
  status: orderStatus.optional(),
  currency: currency.optional(),
  agent_key_id: idInQuery.optional(),
  lp_id: idInQuery.optional().describe('The LP quoted, or the owner from the claim on.'),
  created_from: instant.optional().describe('ISO 8601; a date is its midnight in UTC.'),
  created_to: instant.optional().describe('Orders created before this time.'),
});

export type OrderQuery = z.output<typeof orderQuery>;

/** An order as its parties see it, and where it comes from and why it stands where it stands. */
export const adminOrder = orderResponse.extend({
  user_id: id,
  callback_url: z.string().nullable(),
  receipt_url: z.string().nullable(),
  agent_key_id: id,
  status_reason: z.string().nullable(),
  version: z.number().int().positive().describe('One more with each transition.'),
  frozen: z.boolean().describe('An admin has stopped the order: nothing moves it but unfreezing.'),
  collateral_locked: money.nullable().describe('USD of the owner’s collateral that stand for the order.'),
  slashed_usd: money.nullable().describe('What an admin took of that when it ended a dispute.'),
});
export type AdminOrder = z.output<typeof adminOrder>;

/** `GET /api/admin/orders/:id`. */
export const adminOrderDetail = adminOrder.extend({
  workflow_url: z
    .string()
    .nullable()
    .describe(
      'The order’s workflow in the Temporal UI; null where `TEMPORAL_UI_URL` does not say where that is.',
    ),
});

export const orderPage = z.strictObject({ orders: z.array(adminOrder), next_cursor: nextCursor });
export type OrderPage = z.output<typeof orderPage>;
