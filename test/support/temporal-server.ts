import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/process/free-port.ts';
import { type EmbeddedTemporal, startTemporal } from '../../src/service/embedded/temporal.ts';
import { testEnvironment } from './environment.ts';
import { startTcpProxy } from './tcp-proxy.ts';

/** A Temporal server for one test that can lose all its data. */
export interface LosableTemporal {
  /** host:port, which never changes. */
  address: string;
  /** Kills the server, deletes its store, and starts it empty at the same address. */
  loseEverything: () => Promise<void>;
  stop: () => Promise<void>;
}

export async function startLosableTemporal(): Promise<LosableTemporal> {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-temporal-'));
  let stores = 0;
  let server = await startServer();
  // Keeps the port while no server listens on it.
  const proxy = await startTcpProxy('127.0.0.1', portOf(server));
  return {
    address: `${proxy.host}:${proxy.port}`,
    loseEverything: async () => {
      proxy.cut();
      await server.stop();
      await rm(folder, { recursive: true });
      server = await startServer();
      proxy.moveTo(portOf(server));
    },
    stop: async () => {
      await server.stop();
      await proxy.close();
      await rm(folder, { recursive: true, force: true });
    },
  };

  async function startServer(): Promise<EmbeddedTemporal> {
    stores += 1;
    return startTemporal({
      binary: testEnvironment().temporalBinary,
      file: join(folder, String(stores), 'temporal.sqlite'),
      uiPort: await freePort(),
      synchronous: 'off',
    });
  }
}

const portOf = ({ address }: EmbeddedTemporal): number => Number(address.split(':')[1]);
