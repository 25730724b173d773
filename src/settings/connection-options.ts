import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import type * as envconfig from '@temporalio/envconfig';
import type { ClientConnectConfig } from '@temporalio/envconfig';
import type { Logger } from 'pino';

const require = createRequire(import.meta.url);

/**
 * The variables of certificates, keys and profiles, by the names that Temporal's CLI and SDKs share. Empty: without TLS and
 * without a key.
 */
export type TemporalVariables = Readonly<Record<string, string>>;

/** Where Temporal is, and the certificates and keys for it. */
export interface TemporalAccess {
  /** host:port. */
  address: string;
  /** Default: none. */
  variables?: TemporalVariables | undefined;
  /** How often certificates, keys and the configuration file are read again, in milliseconds. One minute by default. */
  reloadEveryMs?: number | undefined;
}

/**
 * Reads the files that the variables name, as they are now. The configuration of Temporal's CLI in the user's home counts
 * only if a profile is named: Corridor must not connect to where somebody happens to work.
 */
export function temporalConnection(variables: TemporalVariables): ClientConnectConfig {
  if (Object.keys(variables).length === 0) return { connectionOptions: {} };
  // Loaded when needed: every command of the CLI reads the settings.
  const { loadClientConnectConfig } = require('@temporalio/envconfig') as typeof envconfig;
  return loadClientConnectConfig({
    overrideEnvVars: { ...variables },
    disableFile: !variables.TEMPORAL_CONFIG_FILE && !variables.TEMPORAL_PROFILE,
    configFileStrict: true,
  });
}

/** The options of a connection, with the present certificates and keys. */
export const connectionOptions = ({ address, variables = {} }: TemporalAccess) => ({
  ...temporalConnection(variables).connectionOptions,
  address,
});
type ConnectionOptions = ReturnType<typeof connectionOptions>;

const RELOAD_EVERY_MS = 60_000;
/**
 * A replaced connection stays open for longer than the longest deadline of a call. On a closed one, the client's next attempt
 * of a call would throw outside of every promise, and end the process.
 */
const CLOSE_AFTER_MS = 60_000;

interface Closable {
  close: () => Promise<void>;
}

/** How a part of Corridor connects to Temporal again. */
export interface Reconnect<Connection extends Closable> {
  open: (options: ConnectionOptions) => Connection | Promise<Connection>;
  /** Uses the new connection from now on. */
  use: (next: Connection) => void;
  log: Logger;
}

/** A connection that is replaced when necessary. */
export interface FreshConnection extends Closable {
  /** Replaces the connection now. Never rejects: if it cannot, it logs why and keeps the present connection. */
  replace: () => Promise<void>;
}

/**
 * Replaces a connection after the certificates, the key or the configuration file have changed. If the new ones cannot be
 * used, it logs an error, keeps the present connection and tries again later. `close` closes the present
 * connection. One that is just being opened closes as soon as it is open. A replaced one closes later by itself, or with the
 * process.
 */
export function keepCredentialsFresh<Connection extends Closable>(
  access: TemporalAccess,
  first: Connection,
  { open, use, log }: Reconnect<Connection>,
): FreshConnection {
  let current = first;
  let isClosed = false;
  const hasCredentials = Object.keys(access.variables ?? {}).length > 0;
  const present = () => {
    const options = connectionOptions(access);
    return { options, credentials: hasCredentials ? fingerprint(options) : '' };
  };
  let used = present().credentials;

  const openNext = async ({ options, credentials }: ReturnType<typeof present>) => {
    const next = await open(options);
    // The process stops, and nobody else knows this connection.
    if (isClosed) return next.close();
    use(next);
    retire(current);
    current = next;
    if (credentials !== used) log.info('using the new credentials for Temporal');
    used = credentials;
  };
  let pending: Promise<void> | undefined;
  /** Two attempts at the same time would open two connections, so the second one waits for the first. */
  const attempt = (work: () => Promise<void>, onFailure: (error: unknown) => void): Promise<void> => {
    pending ??= work()
      .catch(onFailure)
      .finally(() => {
        pending = undefined;
      });
    return pending;
  };
  const replace = () =>
    attempt(
      async () => openNext(present()),
      (err) => log.warn({ err }, 'Temporal does not answer, and the connection to it cannot be replaced yet'),
    );
  const replaceAfterChange = () =>
    attempt(
      async () => {
        const found = present();
        if (found.credentials !== used) await openNext(found);
      },
      (err) => log.error({ err }, 'the new credentials for Temporal cannot be used: the previous ones stay'),
    );
  const retire = (connection: Connection) => {
    const close = () =>
      connection
        .close()
        .catch((err) => log.warn({ err }, 'a replaced connection to Temporal does not close'));
    setTimeout(close, CLOSE_AFTER_MS).unref();
  };
  const timer = hasCredentials
    ? setInterval(() => void replaceAfterChange(), access.reloadEveryMs ?? RELOAD_EVERY_MS).unref()
    : undefined;
  return {
    replace,
    close: async () => {
      isClosed = true;
      clearInterval(timer);
      await current.close();
    },
  };
}

const fingerprint = (options: ConnectionOptions): string =>
  createHash('sha256')
    .update(
      JSON.stringify(options, (_, value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
      ),
    )
    .digest('hex');
