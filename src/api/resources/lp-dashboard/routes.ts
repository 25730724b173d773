import type { z } from 'zod';
import { LpAutoClaim } from '../../../db/entities/auto-claim.ts';
import { findOpenIncidents } from '../../../db/incidents.ts';
import { offerView, ownOrderView } from '../../../domain/offer-view.ts';
import type { KnownLp } from '../../../http/access/find-caller.ts';
import { balanceOf } from '../../../market/collateral/balance.ts';
import { freeReleasesLeft } from '../../../market/lps/free-releases.ts';
import { currentOrdersOf, openOrdersFor } from '../../../market/lps/orders.ts';
import { type ReceivingAsset, receivingAssets } from '../../../market/lps/receiving-assets.ts';
import { lpStandings, standingOf } from '../../../market/lps/standing.ts';
import { termsWithReasons } from '../../../market/pricing/unquoted-terms.ts';
import { readLpWebhook } from '../../../notify/lp-webhooks/configure.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Route, route } from '../../route.ts';
import { LIST_LIMIT } from '../../schemas/lp-terms.ts';
import { shownView } from '../incidents/view.ts';
import { explainedView } from '../lp-terms/view.ts';
import { lpWebhookView } from '../lp-webhook/view.ts';
import { dashboardResponse } from './schemas.ts';

type Dashboard = z.output<typeof dashboardResponse>;

/** The first page that an LP reads: its terms, the open orders and its own orders. */
export function lpDashboardRoutes({ db, prices, delivery, settings }: ApiDeps): Route[] {
  return [
    route({
      method: 'get',
      path: '/api/lp/:lp_key/dashboard',
      auth: 'lp',
      summary: 'Read the LP’s terms, the open orders and the LP’s own orders',
      description: `Each list has at most ${LIST_LIMIT} rows, the newest first; \`my_orders\` says which orders it has. The open orders are shown to approved LPs only.`,
      answers: { 200: dashboardResponse },
      refuses: [],
      keyLimit: { name: 'dashboard', max: settings.limits.dashboard },
      handle: async ({ principal: lp }) => ({ status: 200, body: await dashboard(lp) }),
    }),
  ];

  async function dashboard(lp: KnownLp): Promise<Dashboard> {
    const [collateral, standings, releasesLeft, autoClaim, webhook, terms, assets, open, own, incidents] =
      await Promise.all([
        balanceOf(db, lp.id),
        lpStandings(db, [lp.id], settings.strikeCoolDown),
        freeReleasesLeft(db, lp.id, settings.freeReleases),
        db.em().findOne(LpAutoClaim, { lp_id: lp.id }),
        readLpWebhook(db, lp.id),
        termsWithReasons({ db, prices, settings }, lp.id, { newest: LIST_LIMIT }),
        receivingAssets(db, lp.id, LIST_LIMIT),
        lp.status === 'approved' ? openOrdersFor(db, lp.id, LIST_LIMIT) : [],
        currentOrdersOf(db, lp.id, LIST_LIMIT),
        findOpenIncidents(db),
      ]);
    const { id, display_name, status, tier, spread_bps, xrpl_address, mpesa_phone } = lp;
    return {
      lp: {
        ...{ id, display_name, status, tier, spread_bps, xrpl_address, mpesa_phone },
        ...standingOf(standings, lp.id),
        free_releases_left: releasesLeft,
        created_at: lp.created_at.toISOString(),
        collateral: { available: Number(collateral.available), locked: Number(collateral.locked) },
        auto_claim: autoClaimState(autoClaim),
        webhook: lpWebhookView(webhook),
        incidents: incidents.map(shownView),
        fiat_within_seconds: Math.floor(settings.durations.fiat / 1_000),
      },
      rates: terms.map(explainedView(delivery.corridors)),
      assets: assets.map(assetView),
      open_orders: open.map((row) => offerView(row, tier, row.own_rate)),
      my_orders: own.map((row) => ownOrderView(row, lp)),
    };
  }
}

function assetView(asset: ReceivingAsset): Dashboard['assets'][number] {
  const { symbol, chain, address, destination_tag, pending_address, takes_effect_at } = asset;
  return {
    ...{ symbol, chain, address, destination_tag },
    created_at: new Date(asset.created_at).toISOString(),
    pending:
      pending_address === null || takes_effect_at === null
        ? null
        : {
            address: pending_address,
            destination_tag: asset.pending_destination_tag,
            takes_effect_at: new Date(takes_effect_at).toISOString(),
          },
  };
}

/** Auto-claim is off for an LP that has never configured it. */
function autoClaimState(config: LpAutoClaim | null): Dashboard['lp']['auto_claim'] {
  const { enabled = false, max_amount_usd = null, currencies = null, min_profit_usd = '0' } = config ?? {};
  return {
    enabled,
    max_amount_usd: max_amount_usd === null ? null : Number(max_amount_usd),
    currencies,
    min_profit_usd: Number(min_profit_usd),
  };
}
