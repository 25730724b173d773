import { Client, Connection } from '@temporalio/client';
import type { Logger } from 'pino';
import {
  connectionOptions,
  keepCredentialsFresh,
  type TemporalAccess,
} from '../settings/connection-options.ts';
import { tlsFault } from './tls-fault.ts';

/** A client of Temporal whose certificates and keys can change. */
export interface OpenClient {
  /** The client with the present credentials. Do not keep it longer than a call. */
  client: () => Client;
  close: () => Promise<void>;
}

/**
 * A server that was replaced may have another address under the same name, and the old address may never answer. The
 * defaults would ask for the new address only after half a minute, wait for up to two minutes between attempts, and notice
 * a silent server after 45 seconds. Temporal's frontend allows a ping every ten seconds. gRPC must not share the connection,
 * because the one that replaces it would wait for the same address.
 */
const FIND_A_MOVED_SERVER = {
  'grpc.dns_min_time_between_resolutions_ms': 1_000,
  'grpc.max_reconnect_backoff_ms': 5_000,
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.use_local_subchannel_pool': 1,
};

/** A connection that waits this long for a server is replaced. */
const GIVE_UP_AFTER_MS = 5_000;
const LOOK_EVERY_MS = 1_000;
/** gRPC's states of a channel that has its server, or that nobody needs. */
const IDLE = 0;
const READY = 2;

class OwnConnection extends Connection {
  /** Whether calls wait for the server. */
  isWaiting(): boolean {
    const state = this.client.getChannel().getConnectivityState(false);
    return state !== IDLE && state !== READY;
  }
}

type ConnectionOptions = ReturnType<typeof connectionOptions>;
const connect = (options: ConnectionOptions): OwnConnection =>
  OwnConnection.lazy({ ...options, channelArgs: FIND_A_MOVED_SERVER }) as OwnConnection;

/** Connects at the first call. */
export function openClient(access: TemporalAccess, namespace: string, log: Logger): OpenClient {
  let connection = connect(connectionOptions(access));
  let client = new Client({ connection, namespace });
  const { replace, close } = keepCredentialsFresh(access, connection, {
    open: async (options) => {
      const next = connect(options);
      try {
        await next.ensureConnected();
      } catch (error) {
        await next.close();
        const fault = await tlsFault(access);
        throw fault ? new Error(`TLS failed: ${fault}`, { cause: error }) : error;
      }
      return next;
    },
    use: (next) => {
      connection = next;
      client = new Client({ connection: next, namespace });
    },
    log,
  });

  // gRPC waits for minutes for an address where no server answers. If the server's name was unknown for a moment, gRPC
  // does not ask for it again meanwhile.
  let waitsSince: number | undefined;
  const timer = setInterval(() => {
    const now = performance.now();
    waitsSince = connection.isWaiting() ? (waitsSince ?? now) : undefined;
    if (waitsSince === undefined || now - waitsSince < GIVE_UP_AFTER_MS) return;
    waitsSince = undefined;
    void replace();
  }, LOOK_EVERY_MS).unref();
  return {
    client: () => client,
    close: async () => {
      clearInterval(timer);
      await close();
    },
  };
}
