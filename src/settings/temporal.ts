import { existsSync } from 'node:fs';
import { z } from 'zod';
import { type TemporalVariables, temporalConnection } from './connection-options.ts';
import { nameAt, setting } from './setting.ts';
import { choice, duration, flag } from './values.ts';

const text = z.string().optional();
const ADDRESS = /^[^\s/]+:\d{1,5}$/;

/** Certificates, keys and profiles, by Temporal's own names. */
const credentials = z.object({
  apiKey: setting('TEMPORAL_API_KEY', text),
  tls: setting('TEMPORAL_TLS', choice(['true', 'false']).optional()),
  clientCertPath: setting('TEMPORAL_TLS_CLIENT_CERT_PATH', text),
  clientCertData: setting('TEMPORAL_TLS_CLIENT_CERT_DATA', text),
  clientKeyPath: setting('TEMPORAL_TLS_CLIENT_KEY_PATH', text),
  clientKeyData: setting('TEMPORAL_TLS_CLIENT_KEY_DATA', text),
  serverCaPath: setting('TEMPORAL_TLS_SERVER_CA_CERT_PATH', text),
  serverCaData: setting('TEMPORAL_TLS_SERVER_CA_CERT_DATA', text),
  serverName: setting('TEMPORAL_TLS_SERVER_NAME', text),
  configFile: setting('TEMPORAL_CONFIG_FILE', text),
  profile: setting('TEMPORAL_PROFILE', text),
});
type Credentials = z.output<typeof credentials>;

const group = z.object({
  address: setting('TEMPORAL_ADDRESS', z.string().regex(ADDRESS, 'must be host:port').optional()),
  namespace: setting('TEMPORAL_NAMESPACE', text),
  credentials,
  managesNamespace: setting('TEMPORAL_MANAGE_NAMESPACE', flag.optional()),
  reloadEveryMs: setting('TEMPORAL_RELOAD_INTERVAL', duration('1m', 100, 86_400_000)),
});

/** The installation's Temporal. `address`: undefined, if Corridor starts its own. */
export const temporal = group.transform((given, ctx) => {
  const faults = faultsIn(given.credentials);
  for (const fault of faults) ctx.addIssue(fault);
  const variables = namedVariables(given.credentials);
  const found = faults.length === 0 ? usable(variables, (fault) => ctx.addIssue(fault)) : undefined;
  const { apiKey, tls } = found?.connectionOptions ?? {};
  const address = given.address ?? found?.connectionOptions.address;
  if (found && address === undefined && (apiKey !== undefined || tls))
    ctx.addIssue('TEMPORAL_ADDRESS must be set to connect with TLS or a key');
  if (address !== undefined && !ADDRESS.test(address))
    ctx.addIssue(`the address of Temporal must be host:port: "${address}" is not`);
  return {
    address,
    namespace: given.namespace ?? found?.namespace ?? 'corridor',
    /** Whether Corridor creates the namespace and its search attributes. A key is that of a managed Temporal. */
    managesNamespace: given.managesNamespace ?? apiKey === undefined,
    /** For `TemporalAccess`. */
    access: { variables, reloadEveryMs: given.reloadEveryMs },
  };
});

const namedVariables = (given: Credentials): TemporalVariables =>
  Object.fromEntries(
    Object.entries(given).flatMap(([key, value]) =>
      value === undefined ? [] : [[nameAt(credentials, [key]) as string, value]],
    ),
  );

/** Reads the files once, so that a wrong one stops the start. */
function usable(variables: TemporalVariables, report: (fault: string) => void) {
  try {
    return temporalConnection(variables);
  } catch (error) {
    report(`the configuration of Temporal cannot be used: ${(error as Error).message}`);
    return undefined;
  }
}

/** Settings that contradict each other, which Temporal's library would ignore in part. */
function faultsIn(given: Credentials): string[] {
  const name = (key: keyof Credentials) => nameAt(credentials, [key]) as string;
  const both = (
    [
      ['clientCertPath', 'clientCertData'],
      ['clientKeyPath', 'clientKeyData'],
      ['serverCaPath', 'serverCaData'],
    ] as const
  ).flatMap(([path, data]) =>
    given[path] && given[data] ? [`${name(path)} and ${name(data)} must not both be set`] : [],
  );
  const hasCert = Boolean(given.clientCertPath ?? given.clientCertData);
  const hasKey = Boolean(given.clientKeyPath ?? given.clientKeyData);
  return [
    ...both,
    ...(hasCert === hasKey
      ? []
      : [
          `${name(hasCert ? 'clientKeyPath' : 'clientCertPath')} must be set too: a client certificate has a key`,
        ]),
    ...(given.configFile && !existsSync(given.configFile)
      ? [`${name('configFile')} names ${given.configFile}, which does not exist`]
      : []),
    ...(given.tls === 'false' && (hasCert || given.serverCaPath || given.serverCaData || given.serverName)
      ? [`${name('tls')} is false, but certificates are set`]
      : []),
  ];
}
