import type { Logger } from 'pino';
import type { Chains, PriceSource, ReceiptStore } from '../adapters/ports.ts';
import type { Database } from '../db/orm.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { OrderCommands } from '../orders/commands.ts';
import type { OrderGateway } from '../orders/gateway.ts';
import type { Pay } from '../orders/pay.ts';
import type { RateLocks } from '../orders/rate-locks.ts';
import type { Redeliver } from '../orders/redeliver.ts';

/** What the HTTP handlers work with. */
export interface ApiDeps {
  db: Database;
  gateway: OrderGateway;
  commands: OrderCommands;
  pay: Pay;
  rateLocks: RateLocks;
  redeliver: Redeliver;
  chains: Chains;
  prices: PriceSource;
  receipts: ReceiptStore;
  metrics: Metrics;
  log: Logger;
  settings: ApiSettings;
}

export interface ApiSettings {
  adminApiKey: string;
  /** Opens the same, while one replaces the other. */
  secondAdminApiKey: string | undefined;
  publicUrl: string;
  /** Where Temporal's UI shows the workflows of the orders, for links; undefined: nobody has said. */
  workflowsUrl: string | undefined;
  corsOrigins: string[];
  trustProxyHops: number;
  payRateLimit: number;
  registerRateLimit: number;
  authFailureLimit: number;
  /** For the upload route: `keyLimit: { name: 'upload', max: settings.uploadRateLimit }`. */
  uploadRateLimit: number;
  /** For each key, as the upload's. */
  ratesRateLimit: number;
  redeliverRateLimit: number;
  autoClaimRateLimit: number;
  /** The first cool-down after a strike, in ms. */
  strikeCoolDown: number;
  lpAutoApprove: boolean;
  /** How long an LP has for the fiat of an order, in ms. */
  fiatTimeout: number;
  /** Whether webhooks may go over plain http: where private receivers are allowed. */
  allowHttpCallbacks: boolean;
  sandbox: boolean;
  /** Where uploads wait until they are whole and allowed. */
  uploadDir: string;
}
