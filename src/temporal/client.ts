import { Client, Connection } from '@temporalio/client';
import type { Logger } from 'pino';
import { connectionOptions, onNewCredentials, type TemporalAccess } from './connection-options.ts';

/** A client of Temporal whose certificates and keys can change. */
export interface OpenClient {
  /** The client with the present credentials. Do not keep it longer than a call. */
  client: () => Client;
  close: () => Promise<void>;
}

/** Connects at the first call. */
export function openClient(access: TemporalAccess, namespace: string, log: Logger): OpenClient {
  let connection = Connection.lazy(connectionOptions(access));
  let client = new Client({ connection, namespace });
  let previous: Connection | undefined;
  const stopRenewing = onNewCredentials(
    access,
    async (options) => {
      // Calls under way end on the connection before this one. So it closes at the next change.
      await previous?.close();
      previous = connection;
      connection = Connection.lazy(options);
      client = new Client({ connection, namespace });
      log.info('using the new credentials for Temporal');
    },
    (err) => log.error({ err }, 'the new credentials for Temporal cannot be used: the previous ones stay'),
  );
  return {
    client: () => client,
    close: async () => {
      stopRenewing();
      await Promise.all([connection.close(), previous?.close()]);
    },
  };
}
