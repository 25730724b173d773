import type { Logger } from 'pino';
import type { Chains, PriceSource, ReceiptStore } from '../../../adapters/ports.ts';
import type { Database } from '../../../db/orm.ts';
import { refreshLpStatistics } from '../../../market/lps/refresh-statistics.ts';
import { resealAgentSecrets, type SealingSecrets } from '../../../notify/webhooks/agent-secret.ts';
import type { Config } from '../../../settings/config.ts';
import type { OrderGateway } from '../../../temporal/gateway.ts';
import { createEndedOrderMasking } from '../../retention/mask-ended-orders.ts';
import { countEndings } from '../../statistics/count-endings.ts';
import type { ObservedOrders } from '../observe-orders.ts';
import { createRevokedOrderCancelling } from './cancel-revoked-orders.ts';
import { keepChainIncidents } from './chain-incidents.ts';
import { checkReserves } from './check-reserves.ts';
import { countNewEvents } from './count-events.ts';
import { createLossFreezing } from './freeze-after-loss.ts';
import { pruneJobs } from './prune.ts';
import { refreshReferencePrices } from './refresh-reference-prices.ts';
import { createStuckWorkflowRepair, repairSuspected } from './repair-stuck-workflows.ts';
import { createOfferRepetition } from './repeat-auto-claim-offers.ts';
import { createUntriedWebhookResend } from './resend-untried-webhooks.ts';
import { startBulkRuns } from './start-bulk-runs.ts';
import { startMissingWorkflows } from './start-missing-workflows.ts';

export interface UpkeepDeps {
  db: Database;
  gateway: OrderGateway;
  log: Logger;
  chains: Chains;
  prices: PriceSource;
  receipts: Pick<ReceiptStore, 'remove'>;
  settings: Pick<Config, 'strikeCoolDown' | 'outageThreshold' | 'upkeep' | 'prices' | 'piiRetention'>;
  /** Encrypt the agents' webhook secrets. */
  sealing: SealingSecrets;
}

/** The data that the jobs of one round share. */
export interface Round {
  /** The orders and the running workflows, read once per round for the first job that needs them. */
  observe: () => Promise<ObservedOrders>;
}

/** A job of upkeep. It rejects if something failed, after it has done everything that it could. */
export interface UpkeepJob {
  /** The job's label in the metrics and in the log. */
  name: string;
  /** Drift between rows and workflows heals only while this job succeeds. */
  healsDrift?: true;
  /** Nothing needs it soon, so each round runs one of these jobs, in turn. */
  canWait?: true;
  run: (round: Round) => Promise<void>;
}

/** All upkeep jobs. They do not depend on each other. */
export function upkeepJobs({
  db,
  gateway,
  log,
  chains,
  prices,
  receipts,
  settings,
  sealing,
}: UpkeepDeps): UpkeepJob[] {
  const { strikeCoolDown, outageThreshold, upkeep, piiRetention } = settings;
  const repairStuckWorkflows = createStuckWorkflowRepair({ db, gateway, log });
  const freezeAfterLoss = createLossFreezing({ db, gateway, log });
  return [
    {
      name: 'freezeAfterLoss',
      healsDrift: true,
      run: async ({ observe }) => freezeAfterLoss(await observe()),
    },
    {
      name: 'startMissingWorkflows',
      healsDrift: true,
      run: async ({ observe }) => startMissingWorkflows({ db, gateway, log }, await observe()),
    },
    {
      name: 'repairStuckWorkflows',
      healsDrift: true,
      run: async ({ observe }) => repairSuspected({ db, gateway }, await observe(), repairStuckWorkflows),
    },
    { name: 'resendUntriedWebhooks', run: createUntriedWebhookResend({ db, gateway, log }) },
    { name: 'startBulkRuns', run: () => startBulkRuns({ db, gateway }) },
    { name: 'cancelRevokedOrders', run: createRevokedOrderCancelling({ db, gateway, log }) },
    {
      name: 'refreshLpStatistics',
      run: () => countNewEvents(db, (_, limit) => refreshLpStatistics(db, limit, strikeCoolDown)),
    },
    { name: 'countOrderTotals', run: () => countNewEvents(db, countEndings) },
    {
      name: 'repeatAutoClaimOffers',
      run: createOfferRepetition({ db, gateway, strikeCoolDown, log }, `${upkeep.settleTime} ms`),
    },
    { name: 'refreshReferencePrices', run: () => refreshReferencePrices(db, prices, settings.prices) },
    { name: 'checkReserves', run: () => checkReserves({ db, chains, log, interval: upkeep.reserves }) },
    { name: 'keepChainIncidents', run: () => keepChainIncidents({ db, log }, outageThreshold) },
    { name: 'resealAgentSecrets', run: () => resealAgentSecrets(db, sealing) },
    ...(piiRetention > 0
      ? [{ name: 'maskEndedOrders', run: createEndedOrderMasking({ db, receipts }, piiRetention) }]
      : []),
    ...pruneJobs(db),
  ];
}
