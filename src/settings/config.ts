import type { z } from 'zod';
import { StartupError } from '../process/startup-error.ts';
import { chainsWithoutNode } from './chains.ts';
import { definitions } from './definitions.ts';
import { isSetting, misspeltNames } from './names.ts';
import { nameAt, valuesFor } from './setting.ts';

/** A host as it is written in a URL. */
export const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** The defaults that depend on other settings. */
const Settings = definitions.transform((read) => {
  const { production, host, port } = read;
  const hasRealChain = Object.values(read.chains).some(Boolean);
  // An operator must request simulated chains beside real ones explicitly, because collateral deposited on a simulated
  // chain could be withdrawn on a real one.
  const sandbox = read.sandbox ?? (!production && !hasRealChain);
  const { temporal, database, ...rest } = read;
  return {
    ...rest,
    databaseUrl: database.url,
    databaseOwnerUrl: database.ownerUrl,
    databaseReaderUrl: database.readerUrl,
    temporalAddress: temporal.address,
    temporalNamespace: temporal.namespace,
    temporalAccess: temporal.access,
    managesTemporalNamespace: temporal.managesNamespace,
    sandbox,
    publicUrl: read.publicUrl ?? `http://${hostInUrl(host)}:${port}`,
    webhookAllowPrivate: read.webhookAllowPrivate ?? !production,
    lpAutoApprove: read.lpAutoApprove ?? !production,
  };
});

/** The settings as the program uses them, with all defaults applied. */
export interface Config extends z.output<typeof Settings> {}

/** Reads the settings of a start. One StartupError names every mistake in them. An empty variable counts as unset. */
export const loadConfig = (env: NodeJS.ProcessEnv): Config => read(env, faultsOfStart);

/** The same for a command beside a running Corridor. It needs neither the chains nor the secrets that a start needs. */
export const loadCommandConfig = (env: NodeJS.ProcessEnv): Config => read(env, () => []);

type Given = Record<string, string | undefined>;

function read(
  env: NodeJS.ProcessEnv,
  moreFaults: (given: Given, config: Config | undefined) => string[],
): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()));
  const names = Object.keys(given);
  const parsed = Settings.safeParse(valuesFor(definitions, given));
  const faults = [
    ...misspeltNames(names),
    ...(parsed.error?.issues ?? []).map(inWords),
    ...chainsWithoutNode(names.filter(isSetting)),
    ...moreFaults(given, parsed.data),
  ];
  if (parsed.success && faults.length === 0) return parsed.data;
  throw new StartupError(`The settings are not usable: ${faults.join('; ')}. See docs/settings.md.`);
}

/** A group's message names its settings itself. No message contains the value of a secret. */
function inWords({ path, message }: z.core.$ZodIssue): string {
  const name = nameAt(definitions, path);
  return name === undefined ? message : `${name} ${message}`;
}

const listed = (names: string[]): string => names.join(', ').replace(/, ([^,]*)$/, ' and $1');

/** What a start needs, although each setting is valid. `config` undefined: some are not. */
function faultsOfStart(given: Given, config: Config | undefined): string[] {
  const hasChain = !config || config.sandbox || Object.values(config.chains).some(Boolean);
  return [
    ...(hasChain
      ? []
      : ['No chain is configured: set one up (docs/chains.md), or SANDBOX=true to run on simulated chains']),
    ...(given.NODE_ENV === 'production' ? faultsInProduction(given) : []),
  ];
}

function faultsInProduction(env: Given): string[] {
  const names = Object.keys(env);
  const missing = ['ADMIN_API_KEY', 'WEBHOOK_SECRET', 'COMMAND_SECRET'].filter(
    (name) => !names.includes(name),
  );
  return [
    ...(missing.length > 0 ? [`in production ${listed(missing)} must be set`] : []),
    ...(env.OIDC_ISSUER?.startsWith('http:') ? ['OIDC_ISSUER must be https in production'] : []),
    ...(names.includes('CRASH_POINTS') ? ['CRASH_POINTS is for tests, and refused in production'] : []),
  ];
}
