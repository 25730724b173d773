import type { ApiDeps } from './deps.ts';
import { withDocument } from './pages/reference.ts';
import { adminLpRoutes } from './resources/admin-lps/routes.ts';
import { adminOrderRoutes } from './resources/admin-orders/routes.ts';
import { ownAdminKeyRoutes } from './resources/admins/own-key.ts';
import { adminRoutes } from './resources/admins/routes.ts';
import { agentKeyRoutes } from './resources/agent-keys/routes.ts';
import { agentOrderRoutes } from './resources/agent-orders/routes.ts';
import { withApprovals } from './resources/approvals/routes.ts';
import { auditRoutes } from './resources/audit/routes.ts';
import { autoClaimRoutes } from './resources/auto-claim/routes.ts';
import { bulkRunRoutes } from './resources/bulk-runs/routes.ts';
import { collateralDepositRoutes } from './resources/collateral-deposits/routes.ts';
import { consoleSessionRoutes } from './resources/console-sessions/routes.ts';
import { corridorRoutes } from './resources/corridors/routes.ts';
import { exportRoutes } from './resources/exports/routes.ts';
import { healthRoutes } from './resources/health/routes.ts';
import { incidentRoutes } from './resources/incidents/routes.ts';
import { ledgerRoutes } from './resources/ledger/routes.ts';
import { ledgerPostingRoutes } from './resources/ledger-postings/routes.ts';
import { lpAddressRoutes } from './resources/lp-addresses/routes.ts';
import { lpBalanceRoutes } from './resources/lp-balance/routes.ts';
import { lpDashboardRoutes } from './resources/lp-dashboard/routes.ts';
import { lpHistoryRoutes } from './resources/lp-history/routes.ts';
import { lpKeyRoutes } from './resources/lp-keys/routes.ts';
import { lpOrderRoutes } from './resources/lp-orders/routes.ts';
import { lpTermRoutes } from './resources/lp-terms/routes.ts';
import { lpWebhookRoutes } from './resources/lp-webhook/routes.ts';
import { lpRoutes } from './resources/lps/routes.ts';
import { metricsRoutes } from './resources/metrics/routes.ts';
import { orderChangeRoutes } from './resources/order-changes/routes.ts';
import { orderStreamRoutes } from './resources/order-stream/routes.ts';
import { orderRoutes } from './resources/orders/routes.ts';
import { overviewRoutes } from './resources/overview/routes.ts';
import { ownKeyRoutes } from './resources/own-key/routes.ts';
import { pauseRoutes } from './resources/pauses/routes.ts';
import { paymentRoutes } from './resources/payments/routes.ts';
import { receiptRoutes } from './resources/receipts/routes.ts';
import { recipientRoutes } from './resources/recipients/routes.ts';
import { reconciliationRoutes } from './resources/reconciliation/routes.ts';
import { sandboxRoutes } from './resources/sandbox/routes.ts';
import { searchRoutes } from './resources/search/routes.ts';
import { userRoutes } from './resources/users/routes.ts';
import { webhookDeliveryRoutes } from './resources/webhook-deliveries/routes.ts';
import { withdrawalRoutes } from './resources/withdrawals/routes.ts';
import type { Route } from './route.ts';

/** One line for each resource. A new route goes into the array of its resource. */
const RESOURCES: ((deps: ApiDeps) => Route[])[] = [
  paymentRoutes,
  corridorRoutes,
  recipientRoutes,
  agentOrderRoutes,
  webhookDeliveryRoutes,
  ownKeyRoutes,
  agentKeyRoutes,
  adminRoutes,
  ownAdminKeyRoutes,
  consoleSessionRoutes,
  auditRoutes,
  pauseRoutes,
  incidentRoutes,
  userRoutes,
  searchRoutes,
  exportRoutes,
  adminLpRoutes,
  lpAddressRoutes,
  adminOrderRoutes,
  bulkRunRoutes,
  overviewRoutes,
  ledgerRoutes,
  ledgerPostingRoutes,
  reconciliationRoutes,
  lpRoutes,
  lpTermRoutes,
  lpKeyRoutes,
  lpDashboardRoutes,
  lpBalanceRoutes,
  lpHistoryRoutes,
  lpOrderRoutes,
  collateralDepositRoutes,
  withdrawalRoutes,
  orderStreamRoutes,
  orderChangeRoutes,
  lpWebhookRoutes,
  autoClaimRoutes,
  orderRoutes,
  receiptRoutes,
  sandboxRoutes,
  healthRoutes,
  metricsRoutes,
];

/** All routes of the API, including the one that serves the OpenAPI document. */
export const allRoutes = (deps: ApiDeps): Route[] =>
  withDocument(
    withApprovals(
      RESOURCES.flatMap((routesOf) => routesOf(deps)),
      deps,
    ),
    deps.settings.publicUrl,
  );
