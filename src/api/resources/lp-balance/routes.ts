import type { z } from 'zod';
import { CollateralDeposit, CollateralWithdrawal } from '../../../db/entities/ledger.ts';
import { shownDepositStatus } from '../../../domain/deposit-status.ts';
import type { KnownLp } from '../../../http/access/find-caller.ts';
import { balanceOf, feesOf } from '../../../market/collateral/balance.ts';
import { orderTotals } from '../../../operations/statistics/order-totals.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Route, route } from '../../route.ts';
import { LIST_LIMIT } from '../../schemas/lp-terms.ts';
import { withdrawalView } from '../withdrawals/view.ts';
import { balanceResponse } from './schemas.ts';

type BalanceResponse = z.output<typeof balanceResponse>;

/** The collateral of an LP, and its changes. */
export function lpBalanceRoutes({ db, chains }: ApiDeps): Route[] {
  return [
    route({
      method: 'get',
      path: '/api/lp/:lp_key/balance',
      auth: 'lp',
      summary: 'Read the LP’s collateral, deposits, withdrawals and fees',
      description: `Each list has the newest ${LIST_LIMIT} rows.`,
      answers: { 200: balanceResponse },
      refuses: [],
      handle: async ({ principal: lp }) => ({ status: 200, body: await balance(lp) }),
    }),
  ];

  async function balance(lp: KnownLp): Promise<BalanceResponse> {
    const newest = { limit: LIST_LIMIT, orderBy: { id: 'desc' } } as const;
    const [{ available, locked, withdrawing, total }, deposits, withdrawals, fees, { feesUsd }] =
      await Promise.all([
        balanceOf(db, lp.id),
        db.em().find(CollateralDeposit, { lp_id: lp.id }, newest),
        db.em().find(CollateralWithdrawal, { lp_id: lp.id }, newest),
        feesOf(db, lp.id, LIST_LIMIT),
        orderTotals(db),
      ]);
    return {
      balance: {
        available: Number(available),
        locked: Number(locked),
        withdrawing: Number(withdrawing),
        total: Number(total),
      },
      recent_deposits: deposits.map(({ id, amount, asset, chain, tx_hash, status, ...at }) => ({
        ...{ id, asset, amount: Number(amount), tx_hash: tx_hash ?? null },
        chain,
        status: shownDepositStatus({ status, expires_at: at.expires_at }, new Date()),
        created_at: at.created_at.toISOString(),
        expires_at: at.expires_at.toISOString(),
        confirmed_at: at.confirmed_at?.toISOString() ?? null,
      })),
      recent_withdrawals: withdrawals.map(withdrawalView),
      recent_fees: fees.map(({ order_id, amount, created_at }) => ({
        order_id,
        amount: Number(amount),
        created_at: new Date(created_at).toISOString(),
      })),
      deposit_addresses: [...chains].flatMap(([chain, { depositAddress: address, depositTag }]) =>
        address === null
          ? []
          : [{ chain, address, ...(depositTag === null ? {} : { destination_tag: depositTag }) }],
      ),
      platform_total_fees: Number(feesUsd),
    };
  }
}
