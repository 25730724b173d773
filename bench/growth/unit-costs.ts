import { Client, Connection } from '@temporalio/client';
import pg from 'pg';
import { orderWorkflowId } from '../../workflows/messages.ts';
import { cpuOf, createServerMeter } from '../cpu.ts';
import type { Installation, RunningPart } from './corridor.ts';

/** The cost of an order from payment to completion. */
export type UnitCosts = Record<(typeof PARTS)[number] | keyof typeof EXTRAS, number>;

/** The processes whose CPU time is counted. */
export const PARTS = ['api', 'worker', 'temporal', 'postgres'] as const;
/** The other counted costs. */
export const EXTRAS = {
  transactions: 'PostgreSQL transactions',
  walBytes: 'bytes of write-ahead log',
  historyEvents: 'Temporal history events',
} as const;

/** Starts counting. The returned function divides the costs since then by a number of orders; `orderId` is one of them. */
export async function countCosts(
  installation: Installation,
  parts: { api: RunningPart[]; worker: RunningPart[] },
): Promise<(orders: number, orderId: number) => Promise<UnitCosts>> {
  const { databaseUrl, temporalAddress } = installation;
  const ofServers = await createServerMeter({ databaseUrl, temporalAddress });
  const used = async () => ({
    // CPU milliseconds
    api: 1_000 * cpuOf(parts.api.map(({ pid }) => pid)),
    worker: 1_000 * cpuOf(parts.worker.map(({ pid }) => pid)),
    ...ofServers(),
    ...(await written(databaseUrl)),
  });
  const before = await used();
  return async (orders, orderId) => {
    const after = await used();
    const each = Object.entries(after).map(([what, now]) => [
      what,
      (now - before[what as keyof typeof before]) / orders,
    ]);
    return { ...Object.fromEntries(each), historyEvents: await historyEvents(installation, orderId) };
  };
}

async function written(databaseUrl: string): Promise<{ transactions: number; walBytes: number }> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(
      `select xact_commit::float8 as transactions, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as "walBytes"
       from pg_stat_database where datname = current_database()`,
    );
    return rows[0];
  } finally {
    await client.end();
  }
}

async function historyEvents({ temporalAddress: address, namespace }: Installation, orderId: number) {
  const connection = await Connection.connect({ address });
  try {
    const { workflow } = new Client({ connection, namespace });
    return (await workflow.getHandle(orderWorkflowId(orderId)).describe()).historyLength;
  } finally {
    await connection.close();
  }
}
