import { join } from 'node:path';
import type { Logger } from 'pino';
import type { PriceSource, ReceiptStore } from '../adapters/ports.ts';
import { createHttpPriceSource, NO_PRICES } from '../adapters/prices-http.ts';
import { createDiskReceiptStore } from '../adapters/receipts-disk.ts';
import { createS3ReceiptStore } from '../adapters/receipts-s3.ts';
import { type Database, type DatabaseOptions, openDatabase, openForStatements } from '../db/orm.ts';
import { storeReferencePrices } from '../market/pricing/reference-prices.ts';
import { OUTCOME_TIMEOUTS, type OutcomeTimeouts } from '../orders/attempt-command.ts';
import { openOutcomeChannel } from '../orders/outcome-channel.ts';
import type { Config } from '../settings/config.ts';
import type { Secrets } from '../settings/secrets.ts';
import { createOrderGateway } from '../temporal/gateway.ts';
import { TEMPORAL_TIMEOUTS, type TemporalTimeouts } from '../temporal/start-options.ts';
import { createMetrics, type Metrics } from './metrics/metrics.ts';

/** The settings and the servers that every part needs. */
export interface Foundation {
  config: Config;
  secrets: Secrets;
  databaseUrl: string;
  /** For migrations. Default: `databaseUrl`. */
  ownerUrl?: string | undefined;
  /** For metrics of the installation. Default: `databaseUrl`. */
  readerUrl?: string | undefined;
  temporalAddress: string;
  /** Address of Temporal's UI, for links to workflows. */
  temporalUiUrl?: string | undefined;
  log: Logger;
  /** Read whenever one is needed. Default: those of an installation. */
  timeouts?: Timeouts;
}

export type Timeouts = OutcomeTimeouts & TemporalTimeouts;

/**
 * Shared by the parts of one process: the database's pool, Temporal's client, the outcome channel, the metrics, the
 * prices.
 */
export interface Shared extends Foundation {
  db: Database;
  /** For metrics of the installation, which write nothing. */
  reader: Database;
  gateway: ReturnType<typeof createOrderGateway>;
  channel: ReturnType<typeof openOutcomeChannel>;
  metrics: Metrics;
  prices: PriceSource;
  timeouts: Timeouts;
  close: () => Promise<void>;
}

const databaseOptions = ({ config, databaseUrl, log }: Foundation): DatabaseOptions => ({
  url: databaseUrl,
  poolSize: config.databasePoolSize,
  debug: (message) => log.debug(message),
});

/** For migrations. */
export const ownerOptions = (foundation: Foundation): DatabaseOptions => ({
  ...databaseOptions(foundation),
  url: foundation.ownerUrl ?? foundation.databaseUrl,
});

/** Metrics of the installation are read one after the other, and apart from requests. */
const READER_POOL_SIZE = 2;

/** The database for metrics of the installation: that of the reader, or `db` without one. */
function openReader(foundation: Foundation, db: Database): Database {
  const { readerUrl: url } = foundation;
  if (url === undefined) return { ...db, close: async () => undefined };
  return openForStatements({ ...databaseOptions(foundation), url, poolSize: READER_POOL_SIZE }, db);
}

export async function openShared(foundation: Foundation): Promise<Shared> {
  const { config, databaseUrl, temporalAddress: address, log } = foundation;
  const { timeouts = { ...OUTCOME_TIMEOUTS, ...TEMPORAL_TIMEOUTS } } = foundation;
  const db = await openDatabase(databaseOptions(foundation));
  const reader = openReader(foundation, db);
  const { commandSecret } = foundation.secrets;
  const gateway = createOrderGateway({
    ...{ address, ...config.temporalAccess, namespace: config.temporalNamespace },
    ...{ log, commandSecret, managesNamespace: config.managesTemporalNamespace, timeouts },
  });
  const channel = openOutcomeChannel(databaseUrl, log);
  const metrics = createMetrics(db, log);
  const close = async () => {
    metrics.close();
    await channel.close();
    await gateway.close();
    await reader.close();
    await db.close();
  };
  const prices = priceSource(config, db, log);
  return { ...foundation, db, reader, gateway, channel, metrics, prices, timeouts, close };
}

/** Where receipts are kept: in the bucket, if there is one, otherwise in the data folder. */
export const receiptStore = ({ receiptsS3, dataDir }: Config): ReceiptStore =>
  receiptsS3 ? createS3ReceiptStore(receiptsS3) : createDiskReceiptStore(join(dataDir, 'receipts'));

const priceSource = ({ prices }: Config, db: Database, log: Logger): PriceSource =>
  prices
    ? createHttpPriceSource({ ...prices, log, store: (fresh) => storeReferencePrices(db, fresh) })
    : NO_PRICES;
