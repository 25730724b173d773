import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import type * as envconfig from '@temporalio/envconfig';
import type { ClientConnectConfig } from '@temporalio/envconfig';

const require = createRequire(import.meta.url);

/**
 * The variables of certificates, keys and profiles, by the names that Temporal's CLI and SDKs share. Empty: without TLS and
 * without a key.
 */
export type TemporalVariables = Readonly<Record<string, string>>;

/** The variables of an environment that concern certificates, keys and Temporal's configuration file. */
export const credentialsIn = (env: NodeJS.ProcessEnv): TemporalVariables =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value && /^TEMPORAL_(API_KEY|TLS|CONFIG_FILE|PROFILE)/.test(name) ? [[name, value]] : [],
    ),
  );

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
 * Calls `renew` with the new options after the certificates, the key or the configuration file have changed, one call at a
 * time. If `renew` or a file fails, `report` gets the error and it is tried again later. Returns the function that ends it.
 */
export function onNewCredentials(
  access: TemporalAccess,
  renew: (options: ConnectionOptions) => Promise<void>,
  report: (error: unknown) => void,
): () => void {
  if (Object.keys(access.variables ?? {}).length === 0) return () => undefined;
  let seen = fingerprint(connectionOptions(access));
  let renewing = false;
  const look = async () => {
    if (renewing) return;
    renewing = true;
    try {
      const options = connectionOptions(access);
      const found = fingerprint(options);
      if (found === seen) return;
      await renew(options);
      seen = found;
    } catch (error) {
      report(error);
    } finally {
      renewing = false;
    }
  };
  const timer = setInterval(() => void look(), access.reloadEveryMs ?? RELOAD_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

const fingerprint = (options: ConnectionOptions): string =>
  createHash('sha256')
    .update(
      JSON.stringify(options, (_, value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
      ),
    )
    .digest('hex');
