import { Client, Connection } from '@temporalio/client';
import type { Logger } from 'pino';
import { connectionOptions, keepCredentialsFresh, type TemporalAccess } from './connection-options.ts';

/** A client of Temporal whose certificates and keys can change. */
export interface OpenClient {
  /** The client with the present credentials. Do not keep it longer than a call. */
  client: () => Client;
  close: () => Promise<void>;
}

/** Connects at the first call. */
export function openClient(access: TemporalAccess, namespace: string, log: Logger): OpenClient {
  const connection = Connection.lazy(connectionOptions(access));
  let client = new Client({ connection, namespace });
  const { close } = keepCredentialsFresh(access, connection, {
    open: (options) => Connection.lazy(options),
    use: (next) => {
      client = new Client({ connection: next, namespace });
    },
    log,
  });
  return { client: () => client, close };
}
