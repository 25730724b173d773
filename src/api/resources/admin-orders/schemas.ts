import { z } from 'zod';
import { ORDER_PURPOSES } from '../../../db/ledger/accounts.ts';
import { OUTCOMES } from '../../../domain/order-commands.ts';
import { CHAIN_RESULTS } from '../../../orders/look-up-named.ts';
import { delivery } from '../../schemas/offers.ts';
import { reason } from '../../schemas/order-commands.ts';
import { orderFilters } from '../../schemas/order-filters.ts';
import { idInQuery, nextCursor, pageQuery } from '../../schemas/pages.ts';
import { centsOrZero, describeField, instant, listValues, txHash } from '../../schemas/request-fields.ts';
import { id, money, reasonCode, time, usdMoney } from '../../schemas/response-fields.ts';
import { orderResponse } from '../orders/schemas.ts';

/** `GET /api/admin/orders`. */
export const orderQuery = pageQuery.extend({
  ...orderFilters,
  agent_key_id: describeField(idInQuery, 'Only orders of the agent key with this id.').optional(),
  lp_id: describeField(
    idInQuery,
    'Only orders of the LP with this id: the quoted LP, or after a claim the owner.',
  ).optional(),
  revoked_agent: z
    .literal('true')
    .optional()
    .describe('`true`: only orders under way whose agent key is revoked. Default: all orders.'),
  waits_for_admin: z
    .literal('true')
    .optional()
    .describe('`true`: only orders that wait for an admin: disputed or frozen. Default: all orders.'),
});

export type OrderQuery = z.output<typeof orderQuery>;

/** The admins' view of an order: the parties' view, with its agent and the reason for its status. */
export const adminOrder = orderResponse.extend({
  user_id: id,
  callback_url: z.string().nullable(),
  receipt_url: z.string().nullable(),
  agent_key_id: id,
  status_reason: z.string().nullable(),
  status_reason_code: reasonCode.nullable(),
  version: z.number().int().positive().describe('Increases by one with each transition.'),
  frozen: z
    .boolean()
    .describe(
      'The order is frozen, by an admin, by an LP that lost it, or because the database lost commits: only unfreezing moves it.',
    ),
  clock_stopped: z
    .boolean()
    .describe('An open incident has stopped the order’s clock; its timeline says why.'),
  contested_by: id
    .nullable()
    .describe(
      'The id of the LP that has frozen the order, because it says that it had paid before it lost the order. Its evidence is in `status_reason`.',
    ),
  collateral_locked: usdMoney
    .nullable()
    .describe('USD of the owner’s collateral that is locked for the order.'),
  slashed_usd: money
    .nullable()
    .describe('USD of the collateral that an admin slashed when resolving a dispute.'),
});
export type AdminOrder = z.output<typeof adminOrder>;

/** `GET /api/admin/orders/:id`. */
export const adminOrderDetail = adminOrder.extend({
  ...delivery,
  agent_name: z.string().nullable().describe('The name of the agent key, or of its integrator; null: none.'),
  lp_name: z.string().nullable().describe('The name of the LP; null: the order has no LP.'),
  user_name: z.string().nullable().describe('The name of the user; null: none, or it was removed.'),
  evidence: z
    .array(
      z.strictObject({
        lp_id: id,
        lp_name: z.string(),
        receipt_url: z.url().describe('Readable with the key of an admin.'),
        at: time.describe('When it was uploaded.'),
      }),
    )
    .describe(
      'Receipts of LPs that have lost the order, newest first: evidence that they had paid, also after the order has ended.',
    ),
  workflow_url: z
    .string()
    .nullable()
    .describe('The order’s workflow in the Temporal UI; null: `TEMPORAL_UI_URL` is not set.'),
});

export const orderPage = z.strictObject({ orders: z.array(adminOrder), next_cursor: nextCursor });
export type OrderPage = z.output<typeof orderPage>;

/** `POST /api/admin/orders/:id/resolve`. */
export const resolveRequest = z
  .object({
    outcome: z
      .enum(OUTCOMES)
      .describe(`How the dispute ends: the new status of the order. ${listValues(OUTCOMES)}`),
    slash_usd: describeField(
      centsOrZero,
      'Collateral that the LP loses, at most the locked collateral of the order. Default: 0.',
    ).prefault(0),
    tx_hash: describeField(
      txHash,
      'The transaction that paid the order, only with `completed`. Corridor takes your word for it, and says in `chain_finding` what the chain says. Default: the one that the chain has verified for the order, if any.',
    ).optional(),
    reason,
  })
  .refine(({ outcome, tx_hash }) => outcome === 'completed' || tx_hash === undefined, {
    path: ['tx_hash'],
    message: 'must be left out: a cancelled order has no payment',
  })
  .meta({ examples: [{ outcome: 'cancelled', slash_usd: 0, reason: 'The fiat was never sent' }] });

export const resolveQuery = z.object({
  dry_run: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe(
      '`true` returns the postings and changes nothing; `false` resolves the dispute. Default: `false`.',
    ),
});

/** `POST /api/admin/orders/:id/unfreeze`. */
export const unfreezeRequest = z
  .object({
    false_evidence: z
      .boolean()
      .default(false)
      .describe(
        '`true`: the evidence of the LP that has contested the order (`contested_by`) is false, and the LP gets a strike. Default: `false`.',
      ),
    reason,
  })
  .meta({
    examples: [{ reason: 'The recipient has confirmed that nothing arrived', false_evidence: false }],
  });

/** `POST /api/admin/orders/:id/retry-verification`. */
export const retryRequest = z
  .object({
    tx_hash: describeField(
      txHash,
      'Another transaction to verify, if the order’s own is the wrong one. Default: the order’s own.',
    ).optional(),
    reason,
  })
  .meta({ examples: [{ reason: 'The node was unreachable' }] });

/** `POST /api/admin/orders/:id/extend`. */
export const extendRequest = z
  .object({ until: describeField(instant, 'The new deadline; must be later than the present one.'), reason })
  .meta({ examples: [{ until: '2036-03-01T12:00:00Z', reason: 'The LP’s bank is closed today' }] });

const chainFinding = z.strictObject({
  result: z
    .enum(CHAIN_RESULTS)
    .describe(
      '`verified`: it pays the order; `pending`: it is not final; `invalid`: it is final and not the payment; `not_found`: the chain does not know it; `unavailable`: the chain could not be asked.',
    ),
  detail: z.string().describe('The same for people, with the amounts.'),
});

export const resolveResponse = z.strictObject({
  order_id: id,
  status: z.enum(OUTCOMES),
  dry_run: z.boolean(),
  tx_hash: z
    .string()
    .nullable()
    .describe('The transaction that counts as the order’s payment, without `0x` in lower case. Null: none.'),
  chain_finding: chainFinding
    .nullable()
    .describe('What the chain says about the transaction that you name. Null: you name none.'),
  postings: z.array(
    z.strictObject({
      purpose: z.enum(ORDER_PURPOSES),
      debit: z.string().describe('The account that is debited.'),
      credit: z.string().describe('The account that is credited.'),
      amount_usd: usdMoney,
    }),
  ),
});
