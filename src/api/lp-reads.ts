import type { z } from 'zod';
import { balanceResponse, dashboardResponse, LIST_LIMIT, lpsResponse } from '../contract/lp-reads.ts';
import { LpAutoClaim } from '../db/entities/auto-claim.ts';
import { CollateralDeposit, CollateralWithdrawal } from '../db/entities/ledger.ts';
import { LpAsset, LpRate } from '../db/entities/lp.ts';
import type { KnownLp } from '../db/queries/callers.ts';
import { balanceOf, feesOf } from '../db/queries/lp-balance.ts';
import { openOrdersFor, ordersOfLp } from '../db/queries/lp-orders.ts';
import { lpStandings, standingOf } from '../db/queries/lp-standing.ts';
import { orderTotals } from '../db/queries/order-totals.ts';
import { publicLps } from '../db/queries/public-lps.ts';
import { offerView, ownOrderView } from '../domain/offer-view.ts';
import type { ApiDeps } from './deps.ts';
import { type Route, route } from './route.ts';
import { withdrawalView } from './withdrawals.ts';

type Dashboard = z.output<typeof dashboardResponse>;
type BalanceAnswer = z.output<typeof balanceResponse>;

/** Contract: what an LP reads of itself, and everybody of the LPs. */
export function lpReadRoutes({ db, chains, settings }: ApiDeps): Route[] {
  return [
    route({
      method: 'get',
      path: '/api/lp/:lp_key/dashboard',
      auth: 'lp',
      summary: 'Read the LP’s terms, the open orders and its own',
      description: `Each list has the newest ${LIST_LIMIT} rows. Only an approved LP is shown the open orders.`,
      answers: { 200: dashboardResponse },
      refuses: [],
      handle: async ({ principal: lp }) => ({ status: 200, body: await dashboard(lp) }),
    }),
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
    route({
      method: 'get',
      path: '/api/lps',
      auth: 'none',
      summary: 'List the approved LPs with their rates and assets',
      answers: { 200: lpsResponse },
      refuses: [],
      handle: async () => ({ status: 200, body: { lps: await listed() } }),
    }),
  ];

  async function listed(): Promise<z.output<typeof lpsResponse>['lps']> {
    const lps = await publicLps(db);
    const ids = lps.map(({ id }) => id);
    const standings = await lpStandings(db, ids, settings.strikeCoolDown);
    return lps.map((lp) => {
      const { cooling_down_until: _, ...record } = standingOf(standings, lp.id);
      const rates = lp.rates.map(({ currency, rate_usd }) => ({ currency, rate_usd: Number(rate_usd) }));
      return { ...lp, ...record, rates };
    });
  }

  async function dashboard(lp: KnownLp): Promise<Dashboard> {
    const newest = { limit: LIST_LIMIT, orderBy: { updated_at: 'desc', currency: 'asc' } } as const;
    const [collateral, standings, autoClaim, rates, assets, open, own] = await Promise.all([
      balanceOf(db, lp.id),
      lpStandings(db, [lp.id], settings.strikeCoolDown),
      db.em().findOne(LpAutoClaim, { lp_id: lp.id }),
      db.em().find(LpRate, { lp_id: lp.id }, newest),
      db.em().find(LpAsset, { lp_id: lp.id }, { limit: LIST_LIMIT, orderBy: { created_at: 'desc' } }),
      lp.status === 'approved' ? openOrdersFor(db, lp.id, LIST_LIMIT) : [],
      ordersOfLp(db, lp.id, LIST_LIMIT),
    ]);
    const { id, display_name, status, tier, spread_bps, xrpl_address, mpesa_phone } = lp;
    return {
      lp: {
        ...{ id, display_name, status, tier, spread_bps, xrpl_address, mpesa_phone },
        ...standingOf(standings, lp.id),
        created_at: lp.created_at.toISOString(),
        collateral: { available: Number(collateral.available), locked: Number(collateral.locked) },
        auto_claim: autoClaimState(autoClaim),
        fiat_within_seconds: Math.floor(settings.fiatTimeout / 1_000),
      },
      rates: rates.map(({ currency, rate_usd, updated_at }) => ({
        currency,
        rate_usd: Number(rate_usd),
        updated_at: updated_at.toISOString(),
      })),
      assets: assets.map(({ symbol, chain, address, created_at }) => ({
        symbol,
        chain,
        address,
        created_at: created_at.toISOString(),
      })),
      open_orders: open.map((row) => offerView(row, tier, row.own_rate)),
      my_orders: own.map((row) => ownOrderView(row, lp, row.own_rate)),
    };
  }

  async function balance(lp: KnownLp): Promise<BalanceAnswer> {
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
        ...{ id, asset, status, amount: Number(amount), tx_hash: tx_hash ?? null },
        chain,
        created_at: at.created_at.toISOString(),
        confirmed_at: at.confirmed_at?.toISOString() ?? null,
      })),
      recent_withdrawals: withdrawals.map(withdrawalView),
      recent_fees: fees.map(({ order_id, amount, created_at }) => ({
        order_id,
        amount: Number(amount),
        created_at: new Date(created_at).toISOString(),
      })),
      deposit_addresses: [...chains].flatMap(([chain, { depositAddress: address }]) =>
        address === null ? [] : [{ chain, address }],
      ),
      platform_total_fees: Number(feesUsd),
    };
  }
}

/** An LP that has never set it up has it switched off. */
function autoClaimState(config: LpAutoClaim | null): Dashboard['lp']['auto_claim'] {
  const { enabled = false, max_amount_usd = null, currencies = null, min_profit_usd = '0' } = config ?? {};
  return {
    enabled,
    max_amount_usd: max_amount_usd === null ? null : Number(max_amount_usd),
    currencies,
    min_profit_usd: Number(min_profit_usd),
  };
}
