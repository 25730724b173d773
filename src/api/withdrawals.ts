import { z } from 'zod';
import { pageOf } from '../contract/pages.ts';
import { idempotencyKey } from '../contract/payments.ts';
import {
  type ListedWithdrawal,
  listedWithdrawal,
  paidRequest,
  rejectRequest,
  replayedWithdrawal,
  type Withdrawal,
  withdrawal,
  withdrawalPage,
  withdrawalQuery,
  withdrawRequest,
} from '../contract/withdrawals.ts';
import { decideWithdrawal } from '../db/commands/decide-withdrawal.ts';
import { requestWithdrawal } from '../db/commands/request-withdrawal.ts';
import { CollateralWithdrawal } from '../db/entities/ledger.ts';
import { afterCursor, pageOptions } from '../db/queries/pages.ts';
import { requireAddress } from '../orders/accepted-tokens.ts';
import type { ApiDeps } from './deps.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { type Route, route } from './route.ts';
import { idFrom } from './validate.ts';

/** How an LP gets its collateral back. Any LP may, approved or not: what no order holds is its money. */
export const withdrawalRoutes = ({ db, chains }: ApiDeps): Route[] => [
  route({
    method: 'post',
    path: '/api/lp/:lp_key/collateral/withdraw',
    auth: 'lp',
    summary: 'Ask for collateral back',
    description:
      'Reserves the amount until an admin pays it out or rejects it. Sent again with the same Idempotency-Key and body, or without a key while one of the same terms is open, it reserves nothing more and is answered 200 with the withdrawal as it stands.',
    headers: z.object({ 'Idempotency-Key': idempotencyKey.optional() }),
    answers: { 201: withdrawal, 200: replayedWithdrawal },
    replays: 200,
    refuses: ['asset_not_accepted', 'insufficient_collateral', 'idempotency_conflict'],
    body: withdrawRequest,
    handle: async ({ principal: lp, body, headers }) => {
      requireAddress(chains, body.asset, body);
      const key = idempotencyKeyOf(headers) ?? null;
      const { withdrawal, replayed } = await requestWithdrawal(db, lp.id, body, key);
      const shown = withdrawalView(withdrawal);
      return replayed
        ? { status: 200, body: { ...shown, idempotent_replay: true } }
        : { status: 201, body: shown };
    },
  }),
  route({
    method: 'get',
    path: '/api/admin/withdrawals',
    auth: 'admin',
    summary: 'List the withdrawals of collateral, newest first',
    answers: { 200: withdrawalPage },
    refuses: [],
    query: withdrawalQuery,
    handle: async ({ query }) => {
      const where = { ...afterCursor(query), ...(query.status ? { status: query.status } : {}) };
      const rows = await db.em().find(CollateralWithdrawal, where, pageOptions(query));
      const { page, next_cursor } = pageOf(rows, query);
      return { status: 200, body: { withdrawals: page.map(listed), next_cursor } };
    },
  }),
  route({
    method: 'post',
    path: '/api/admin/withdrawals/:id/paid',
    auth: 'admin',
    summary: 'Note that a withdrawal has been paid out',
    description: 'For good. The same call again is answered the same.',
    answers: { 200: listedWithdrawal },
    refuses: ['not_found', 'withdrawal_decided'],
    body: paidRequest,
    handle: async ({ params, body: { tx_hash = null } }) => {
      const decision = { status: 'paid', tx_hash, reason: null } as const;
      return { status: 200, body: listed(await decideWithdrawal(db, idFrom(params.id), decision)) };
    },
  }),
  route({
    method: 'post',
    path: '/api/admin/withdrawals/:id/reject',
    auth: 'admin',
    summary: 'Reject a withdrawal; the collateral is available again',
    description: 'For good. The same call again is answered the same.',
    answers: { 200: listedWithdrawal },
    refuses: ['not_found', 'withdrawal_decided'],
    body: rejectRequest,
    handle: async ({ params, body: { reason } }) => {
      const decision = { status: 'rejected', tx_hash: null, reason } as const;
      return { status: 200, body: listed(await decideWithdrawal(db, idFrom(params.id), decision)) };
    },
  }),
];

/** A row as its LP sees it. */
export const withdrawalView = (row: CollateralWithdrawal): Withdrawal => ({
  id: row.id,
  amount: Number(row.amount),
  asset: row.asset,
  chain: row.chain,
  address: row.address,
  status: row.status,
  tx_hash: row.tx_hash ?? null,
  reason: row.reason ?? null,
  created_at: row.created_at.toISOString(),
  decided_at: row.decided_at?.toISOString() ?? null,
});

const listed = (row: CollateralWithdrawal): ListedWithdrawal => ({
  ...withdrawalView(row),
  lp_id: row.lp_id,
});
