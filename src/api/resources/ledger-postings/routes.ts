import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { AdminPosting } from '../../../db/entities/posting.ts';
import { afterCursor, pageOptions } from '../../../db/pages.ts';
import { adminActor, type KnownAdmin } from '../../../http/access/find-admin.ts';
import { accountBalances } from '../../../market/postings/account-balances.ts';
import {
  type NewPosting,
  type PostingNote,
  recordPosting,
  refuseUsedKey,
} from '../../../market/postings/record-posting.ts';
import type { ApiDeps } from '../../deps.ts';
import { idempotencyKey, requireIdempotencyKey } from '../../pipeline/idempotency-key.ts';
import { type Route, route } from '../../route.ts';
import { pageOf } from '../../schemas/pages.ts';
import {
  accountList,
  adjustmentRequest,
  compensationRequest,
  payoutRequest,
  posting,
  postingPage,
  postingQuery,
  replayedPosting,
} from './schemas.ts';
import { postingView } from './view.ts';

const headers = z.object({ 'Idempotency-Key': idempotencyKey });
const ANSWERS = { 201: posting, 200: replayedPosting };
const REFUSES = ['insufficient_balance', 'transaction_used', 'idempotency_conflict'] as const;

/** Admins take out fees, compensate a harmed party, and correct the books. */
export const ledgerPostingRoutes = ({ db }: ApiDeps): Route[] => {
  const record = async (made: NewPosting, sent: IncomingHttpHeaders) => {
    const { posting: row, replayed } = await recordPosting(db, made, requireIdempotencyKey(sent));
    const shown = postingView(row);
    return replayed
      ? ({ status: 200, body: { ...shown, idempotent_replay: true } } as const)
      : ({ status: 201, body: shown } as const);
  };
  /** The options of all routes that post. */
  const posts = {
    method: 'post',
    auth: 'admin',
    permission: 'ledger:post',
    headers,
    replays: 200,
    approval: {
      needed: () => true,
      preview: async ({ headers: sent }: { headers: IncomingHttpHeaders }) => {
        await refuseUsedKey(db, requireIdempotencyKey(sent));
        return null;
      },
    },
  } as const;
  return [
    route({
      ...posts,
      path: '/api/admin/ledger/payouts',
      summary: 'Record that fees were taken out',
      description:
        'Moves the amount from `platform:fees` to `outside`. You move the money itself. Requires an Idempotency-Key.',
      answers: ANSWERS,
      refuses: REFUSES,
      body: payoutRequest,
      handle: ({ body, headers, principal }) =>
        record({ kind: 'payout', ...noteOf(body, principal) }, headers),
    }),
    route({
      ...posts,
      path: '/api/admin/ledger/compensations',
      summary: 'Compensate an LP or a payer with slashed money',
      description:
        'To the collateral of the LP. Without `lp_id`, records that you have paid the payer. Requires an Idempotency-Key.',
      answers: ANSWERS,
      refuses: REFUSES,
      body: compensationRequest,
      handle: ({ body, headers, principal }) => {
        const { order_id, lp_id = null } = body;
        return record({ kind: 'compensation', order_id, lp_id, ...noteOf(body, principal) }, headers);
      },
    }),
    route({
      ...posts,
      path: '/api/admin/ledger/adjustments',
      summary: 'Correct the books by a transfer between two accounts',
      description:
        'The past of the ledger stays as it is, and no account falls below zero. Requires an Idempotency-Key.',
      answers: ANSWERS,
      refuses: [...REFUSES, 'balance_owed'],
      body: adjustmentRequest,
      handle: ({ body, headers, principal }) => {
        const { debit, credit, order_id = null } = body;
        return record({ kind: 'adjustment', debit, credit, order_id, ...noteOf(body, principal) }, headers);
      },
    }),
    route({
      method: 'get',
      path: '/api/admin/ledger/postings',
      auth: 'admin',
      summary: 'List what admins have posted, newest first',
      answers: { 200: postingPage },
      refuses: [],
      query: postingQuery,
      handle: async ({ query }) => {
        const where = { ...afterCursor(query), ...(query.kind ? { kind: query.kind } : {}) };
        const { page, next_cursor } = pageOf(
          await db.em().find(AdminPosting, where, pageOptions(query)),
          query,
        );
        return { status: 200, body: { postings: page.map(postingView), next_cursor } };
      },
    }),
    route({
      method: 'get',
      path: '/api/admin/ledger/accounts',
      auth: 'admin',
      summary: 'Show the balances of the accounts',
      description: 'Adds up all transfers, which takes time on a large ledger.',
      answers: { 200: accountList },
      refuses: [],
      handle: async () => {
        const balances = await accountBalances(db);
        const accounts = balances.map(({ account, balance }) => ({ account, balance: Number(balance) }));
        return { status: 200, body: { accounts } };
      },
    }),
  ];
};

function noteOf(body: z.output<typeof payoutRequest>, admin: KnownAdmin): PostingNote {
  const { amount, reason, chain, tx_hash, reference = null } = body;
  const recorded_by = adminActor(admin);
  const transaction = chain && tx_hash ? { chain, tx_hash } : null;
  return { amount, reason, recorded_by, transaction, reference };
}
