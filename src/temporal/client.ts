import { Client, Connection } from '@temporalio/client';
import type { Logger } from 'pino';
import { connectionOptions, keepCredentialsFresh, type TemporalAccess } from './connection-options.ts';

/** A client of Temporal whose certificates and keys can change. */
export interface OpenClient {
  /** The client with the present credentials. Do not keep it longer than a call. */
  client: () => Client;
  close: () => Promise<void>;
}

/**
 * A server that was replaced may have another address under the same name, and the old address may never answer. The
 * defaults would ask for the new address only after half a minute, wait for up to two minutes between attempts, and notice
 * a silent server after 45 seconds. Temporal's frontend allows a ping every ten seconds.
 */
const FIND_A_MOVED_SERVER = {
  'grpc.dns_min_time_between_resolutions_ms': 1_000,
  'grpc.max_reconnect_backoff_ms': 5_000,
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5_000,
};

type ConnectionOptions = ReturnType<typeof connectionOptions>;
const connect = (options: ConnectionOptions): Connection =>
  Connection.lazy({ ...options, channelArgs: FIND_A_MOVED_SERVER });

/** Connects at the first call. */
export function openClient(access: TemporalAccess, namespace: string, log: Logger): OpenClient {
  const connection = connect(connectionOptions(access));
  let client = new Client({ connection, namespace });
  const { close } = keepCredentialsFresh(access, connection, {
    open: connect,
    use: (next) => {
      client = new Client({ connection: next, namespace });
    },
    log,
  });
  return { client: () => client, close };
}
