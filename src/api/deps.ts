import type { Logger } from 'pino';
import type { Chains, PriceSource, ReceiptStore } from '../adapters/ports.ts';
import type { Database } from '../db/orm.ts';
import type { RequestMetrics } from '../http/requests.ts';
import type { RecipientChecks } from '../market/corridors/recipient-checks.ts';
import type { ResolverSettings } from '../market/corridors/resolve-delivery.ts';
import type { RateLocks } from '../market/pricing/rate-locks.ts';
import type { Redeliver } from '../notify/webhooks/redeliver.ts';
import type { OrderCommands } from '../orders/commands.ts';
import type { Pay } from '../orders/pay.ts';
import type { OrderMetrics } from '../process/metrics/orders.ts';
import type { Config } from '../settings/config.ts';
import type { Secrets } from '../settings/secrets.ts';
import type { OrderGateway } from '../temporal/gateway.ts';

/** The dependencies of the HTTP handlers. */
export interface ApiDeps {
  db: Database;
  gateway: OrderGateway;
  commands: OrderCommands;
  pay: Pay;
  rateLocks: RateLocks;
  /** The corridors, and the settings of the check of requests. */
  delivery: ResolverSettings;
  recipientChecks: RecipientChecks;
  redeliver: Redeliver;
  chains: Chains;
  prices: PriceSource;
  receipts: ReceiptStore;
  /** What handlers count, and all metrics of the process in the format of `METRICS_TEXT_TYPE`. */
  metrics: { requests: RequestMetrics; orders: OrderMetrics; text: () => Promise<string> };
  log: Logger;
  settings: Config;
  secrets: Secrets;
  /** Where Temporal's UI shows the workflows of the orders, for links; undefined: unknown. */
  workflowsUrl: string | undefined;
  /** Where uploads wait until they are complete and allowed. */
  uploadDir: string;
}
