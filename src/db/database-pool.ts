import { Gauge, type Registry } from '@prometheus-io/client';
import type { Database } from './orm.ts';

/** The connections to the database, under OpenTelemetry's names. Read at each scrape. */
export function createPoolMetrics(registry: Registry, { pool }: Pick<Database, 'pool'>): void {
  const registers = [registry];
  new Gauge({
    name: 'db_client_connection_count',
    help: 'Connections to the database',
    labelNames: ['db_client_connection_state'],
    registers,
    collect() {
      this.set({ db_client_connection_state: 'idle' }, pool.idleCount);
      this.set({ db_client_connection_state: 'used' }, pool.totalCount - pool.idleCount);
    },
  });
  new Gauge({
    name: 'db_client_connection_max',
    help: 'Maximum connections to the database (DATABASE_POOL_SIZE)',
    registers,
    collect() {
      this.set(pool.options.max);
    },
  });
  new Gauge({
    name: 'db_client_connection_pending_requests',
    help: 'Statements waiting for a connection to the database',
    registers,
    collect() {
      this.set(pool.waitingCount);
    },
  });
}
