import { Gauge, Registry } from '@prometheus-io/client';
import type { Logger } from 'pino';
import { type ChainMetrics, createChainMetrics } from '../../adapters/metrics/chains.ts';
import { createWebhookMetrics, type WebhookMetrics } from '../../adapters/metrics/webhooks.ts';
import { createPoolMetrics } from '../../db/database-pool.ts';
import type { Database } from '../../db/orm.ts';
import { createRequestMetrics, type RequestMetrics } from '../../http/requests.ts';
import { createOrderMetrics, type OrderMetrics } from '../../process/metrics/orders.ts';
import { createRuntimeMetrics } from '../../process/metrics/runtime.ts';
import { createSocketMetrics, type SocketMetrics } from '../../process/metrics/sockets.ts';
import { createUpkeepMetrics, type UpkeepMetrics } from '../../process/metrics/upkeep.ts';

/** Metrics in the text format of Prometheus. No two sources may share a family. */
type Source = () => Promise<string>;

/** All metrics of a process: its own and those of added sources. */
export interface Metrics {
  requests: RequestMetrics;
  orders: OrderMetrics;
  webhooks: WebhookMetrics;
  chains: ChainMetrics;
  sockets: SocketMetrics;
  upkeep: UpkeepMetrics;
  /** Adds a source; the returned function removes it. */
  addSource: (name: string, source: Source) => () => void;
  /** The text format of Prometheus. Never rejects, and omits a failing source. */
  text: () => Promise<string>;
  close: () => void;
}

export function createMetrics(db: Database, log: Logger): Metrics {
  const registry = new Registry();
  const sources = new Map<string, Source>([['process', () => registry.metrics()]]);
  new Gauge({
    name: 'target_info',
    help: 'The process that reports these metrics',
    labelNames: ['service_name'],
    registers: [registry],
  }).set({ service_name: 'corridor' }, 1);
  const stopWatching = createRuntimeMetrics(registry);
  createPoolMetrics(registry, db);
  return {
    requests: createRequestMetrics(registry),
    orders: createOrderMetrics(registry),
    webhooks: createWebhookMetrics(registry),
    chains: createChainMetrics(registry),
    sockets: createSocketMetrics(registry),
    upkeep: createUpkeepMetrics(registry),
    addSource: (name, source) => {
      sources.set(name, source);
      return () => sources.delete(name);
    },
    text: async () => {
      const texts = await Promise.all(
        [...sources].map(([name, source]) =>
          source().catch((error) => {
            log.warn({ err: error, source: name }, 'metrics are left out');
            return '';
          }),
        ),
      );
      return texts.join('\n');
    },
    close: stopWatching,
  };
}
