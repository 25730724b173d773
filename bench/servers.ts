import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../src/process/free-port.ts';
import { startPostgres } from '../src/service/embedded/postgres.ts';
import { startTemporal } from '../src/service/embedded/temporal.ts';
import { findTemporal } from '../src/service/embedded/temporal-binary.ts';

export interface BenchServers {
  /** The URL of the maintenance database. */
  databaseUrl: string;
  temporalAddress: string;
  /** Temporal's own metrics, in Prometheus's text format. */
  temporalMetricsUrl: string;
  stop: () => Promise<void>;
}

/** The namespace of the alternatives, with the search attribute of `naive-same-work`. */
const ALTERNATIVES = { name: 'default', searchAttributes: { BenchStatus: 'Keyword' } };

/** Starts the servers of `npm start` with the same settings, in a folder that is removed with them. */
export async function startServers(progress: (line: string) => void): Promise<BenchServers> {
  const binary = await findTemporal({ env: process.env, progress, signal: new AbortController().signal });
  const folder = await mkdtemp(join(tmpdir(), 'corridor-bench-'));
  const started: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (let end = started.pop(); end; end = started.pop()) await end();
  };
  try {
    progress('starting PostgreSQL');
    const postgres = await startPostgres(join(folder, 'postgres'));
    started.push(postgres.stop);
    progress('starting Temporal');
    const file = join(folder, 'temporal.sqlite');
    const [uiPort, metricsPort] = [await freePort(), await freePort()];
    const temporal = await startTemporal({ binary, file, namespace: ALTERNATIVES, uiPort, metricsPort });
    started.push(temporal.stop);
    const temporalMetricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
    return { databaseUrl: postgres.url, temporalAddress: temporal.address, temporalMetricsUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
