import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { freePort } from '../../src/embedded/free-port.ts';
import { seed } from '../contestants/seed.ts';
import { newDatabase } from '../databases.ts';
import { createHttpClient } from '../http.ts';
import { rate } from '../load.ts';
import type { Size } from '../measures.ts';
import { startProcess } from '../processes.ts';
import type { BenchServers } from '../servers.ts';
import { must } from '../subjects.ts';
import type { TransitionRates } from './transitions.ts';

/** All in a second. */
export interface FloorFigures {
  /** Workflows that are started and complete. */
  emptyWorkflow: number;
  /** Orders of four signals with a local activity each that does nothing. */
  nullSignals: number;
  /** Requests to Koa with a key's hash and one read. */
  bareKoa: number;
  /** Corridor's statements, by transition. */
  transitions: TransitionRates;
}

/** What no contestant can be cheaper than, each in a process of its own. */
export async function measureFloors(servers: BenchServers, size: Size): Promise<FloorFigures> {
  return {
    emptyWorkflow: await floor<number>('empty-workflow', size.together, servers),
    nullSignals: await floor<number>('null-signals', size.together, servers),
    bareKoa: await bareKoa(servers, size),
    transitions: await floor<TransitionRates>('transitions', size.reads, servers),
  };
}

async function floor<Result>(name: string, count: number, servers: BenchServers): Promise<Result> {
  const { PATH = '', HOME = '' } = process.env;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['bench/floors/main.ts', name, String(count)],
    {
      cwd: new URL('../../', import.meta.url),
      env: {
        ...{ PATH, HOME, TEMPORAL_ADDRESS: servers.temporalAddress },
        DATABASE_URL: await newDatabase(servers.databaseUrl),
      },
    },
  );
  // What a library prints comes before.
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

/** Koa with a key's hash and one read, in a process of its own. `read` is one request. */
export async function startBareKoa({ databaseUrl }: BenchServers): Promise<{
  read: () => Promise<unknown>;
  stop: () => Promise<void>;
}> {
  const port = await freePort();
  const own = await newDatabase(databaseUrl);
  const { agentKey } = await seed(own, 0, '0');
  const koa = await startProcess(
    ['bench/floors/bare-koa.ts'],
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
