import { z } from 'zod';
import { CollateralWithdrawal } from '../../../db/entities/ledger.ts';
import { afterCursor, pageOptions } from '../../../db/pages.ts';
import { DomainError } from '../../../domain/errors.ts';
import { decideWithdrawal, refuseDecided } from '../../../market/collateral/decide-withdrawal.ts';
import { requestWithdrawal } from '../../../market/collateral/request-withdrawal.ts';
import { verifyPayout } from '../../../market/collateral/verify-payout.ts';
import { requireAddress } from '../../../market/pricing/accepted-tokens.ts';
import type { ApiDeps } from '../../deps.ts';
import { idempotencyKey, idempotencyKeyOf } from '../../pipeline/idempotency-key.ts';
import { idFrom } from '../../pipeline/validate.ts';
import { type Route, route } from '../../route.ts';
import { pageOf } from '../../schemas/pages.ts';
import {
  listedWithdrawal,
  paidRequest,
  rejectRequest,
  replayedWithdrawal,
  withdrawal,
  withdrawalPage,
  withdrawalQuery,
  withdrawRequest,
} from './schemas.ts';
import { adminWithdrawalView, withdrawalView } from './view.ts';

/**
 * LPs request their collateral back, and admins decide. An LP does not need approval, because collateral that no order
 * locks belongs to it.
 */
export const withdrawalRoutes = ({ db, chains, log, settings }: ApiDeps): Route[] => [
  route({
    method: 'post',
    path: '/api/lp/:lp_key/collateral/withdraw',
    auth: 'lp',
    summary: 'Request a withdrawal of collateral',
    description:
      'Reserves the amount until an admin pays or rejects it. A repeat with the same Idempotency-Key reserves nothing more.',
    headers: z.object({ 'Idempotency-Key': idempotencyKey.optional() }),
    answers: { 201: withdrawal, 200: replayedWithdrawal },
    replays: 200,
    // Each request stays in the ledger and the audit, and an admin decides it.
    inTurn: true,
    keyLimit: { name: 'lp-account', max: settings.limits.account },
    refuses: ['asset_not_accepted', 'insufficient_collateral', 'amount_in_use', 'idempotency_conflict'],
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
      return { status: 200, body: { withdrawals: page.map(adminWithdrawalView), next_cursor } };
    },
  }),
  route({
    method: 'post',
    path: '/api/admin/withdrawals/:id/paid',
    auth: 'admin',
    permission: 'withdrawals:decide',
    summary: 'Record that a withdrawal has been paid',
    description:
      'On a real chain, Corridor verifies the transaction: repeat the call until it is final. The decision is final.',
    answers: { 200: listedWithdrawal },
    refuses: ['not_found', 'payout_not_verified', 'withdrawal_decided', 'transaction_used'],
    body: paidRequest,
    approval: {
      needed: () => true,
      preview: async ({ params }) => {
        const asked = await db.em().findOne(CollateralWithdrawal, { id: idFrom(params.id) });
        if (!asked) throw new DomainError('not_found');
        refuseDecided(asked);
        return { withdrawal: adminWithdrawalView(asked) };
      },
    },
    handle: async ({ params, body: { tx_hash = null } }) => {
      const id = idFrom(params.id);
      const requested = await db.em().findOne(CollateralWithdrawal, { id, status: 'requested' });
      const { chainClockSkew } = settings;
      if (requested) await verifyPayout({ chains, log, chainClockSkew }, requested, tx_hash);
      const decision = { status: 'paid', tx_hash, reason: null } as const;
      return { status: 200, body: adminWithdrawalView(await decideWithdrawal(db, id, decision)) };
    },
  }),
  route({
    method: 'post',
    path: '/api/admin/withdrawals/:id/reject',
    auth: 'admin',
    permission: 'withdrawals:decide',
    summary: 'Reject a withdrawal; the collateral is available again',
    description: 'The decision is final. A repeated call returns the same response.',
    answers: { 200: listedWithdrawal },
    refuses: ['not_found', 'withdrawal_decided'],
    body: rejectRequest,
    handle: async ({ params, body: { reason } }) => {
      const decision = { status: 'rejected', tx_hash: null, reason } as const;
      return {
        status: 200,
        body: adminWithdrawalView(await decideWithdrawal(db, idFrom(params.id), decision)),
      };
    },
  }),
];
