import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createHttpClient } from '../../dev/kept-http-client.ts';
import { freePort } from '../../src/process/free-port.ts';
import { seed } from '../alternatives/seed.ts';
import { SHIPPED_FLAGS } from '../corridor.ts';
import { newDatabase } from '../databases.ts';
import { rate } from '../load.ts';
import type { Size } from '../measures.ts';
import { startProcess } from '../processes.ts';
import type { BenchServers } from '../servers.ts';
import { must } from '../subjects.ts';
import type { TransitionRates } from './transitions.ts';

/** All figures are per second. */
export interface BaselineFigures {
  /** Workflows that start and complete. */
  emptyWorkflow: number;
  /** Workflows of four signals, each with a local activity that does nothing. */
  nullSignals: number;
  /** Requests to Koa with a key hash and one read of a row as wide as an order. */
  bareKoa: number;
  /** Corridor's SQL statements, by transition. */
  transitions: TransitionRates;
}

/** Measures the lower bounds of every alternative's cost, each in a process of its own. */
export async function measureBaselines(servers: BenchServers, size: Size): Promise<BaselineFigures> {
  return {
    emptyWorkflow: await baseline<number>('empty-workflow', size.together, servers),
    nullSignals: await baseline<number>('null-signals', size.together, servers),
    bareKoa: await bareKoa(servers, size),
    transitions: await baseline<TransitionRates>('transitions', size.reads, servers),
  };
}

async function baseline<Result>(name: string, count: number, servers: BenchServers): Promise<Result> {
  const { PATH = '', HOME = '' } = process.env;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...SHIPPED_FLAGS, 'bench/baselines/main.ts', name, String(count)],
    {
      cwd: new URL('../../', import.meta.url),
      env: {
        ...{ PATH, HOME, TEMPORAL_ADDRESS: servers.temporalAddress },
        DATABASE_URL: await newDatabase(servers.databaseUrl),
      },
    },
  );
  // Libraries may print lines before the result.
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

/** Starts Koa with a key hash and one read of a wide row, in a process of its own. `read` makes one request. */
export async function startBareKoa({ databaseUrl }: BenchServers): Promise<{
  read: () => Promise<unknown>;
  stop: () => Promise<void>;
}> {
  const port = await freePort();
  const own = await newDatabase(databaseUrl);
  const { agentKey } = await seed(own, 0, '0');
  const koa = await startProcess(
    [...SHIPPED_FLAGS, 'bench/baselines/bare-koa.ts'],
    { PORT: String(port), DATABASE_URL: own },
    /^ready$/m,
  );
  const http = createHttpClient(port);
  return {
    read: async () => must(200, await http.call('GET', '/', agentKey)),
    stop: async () => {
      http.close();
      await koa.stop();
    },
  };
}

async function bareKoa(servers: BenchServers, { reads }: Size): Promise<number> {
  const { read, stop } = await startBareKoa(servers);
  try {
    await rate(200, read);
    return await rate(reads, read);
  } finally {
    await stop();
  }
}
