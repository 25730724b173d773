import { join } from 'node:path';
import { StartupError } from '../src/process/startup-error.ts';
import { runningTemporal } from '../src/service/embedded/temporal.ts';
import { type Config, loadCommandConfig } from '../src/settings/config.ts';
import { workflowsUrl } from '../src/temporal/ui.ts';
import { createCaller } from './http-client.ts';

/** The longest time that a Corridor takes to say whether it is ready. */
const PROBE_TIMEOUT_MS = 10_000;

/** The Corridor that the settings of this terminal name, and whether it answers. */
interface Probe {
  config: Config;
  /** `none`: nothing answers at its address, or another program does. */
  state: 'ready' | 'not ready' | 'none';
}

/** Asks the Corridor at `PUBLIC_URL`, or else at `PORT`, whether it is ready. */
export async function probeCorridor(): Promise<Probe> {
  const config = loadCommandConfig(process.env);
  const call = createCaller(config.publicUrl, undefined, PROBE_TIMEOUT_MS);
  const answer = await call('GET', '/readyz').catch(() => undefined);
  if (answer?.body?.ready === false) return { config, state: 'not ready' };
  if (answer?.body?.ready !== true) return { config, state: 'none' };
  if (config.temporalUiUrl || config.temporalAddress) return { config, state: 'ready' };
  // The Temporal UI that it started, on any port.
  const embedded = await runningTemporal(join(config.dataDir, 'temporal.sqlite'));
  return { config: { ...config, temporalUiUrl: embedded?.uiUrl }, state: 'ready' };
}

/** The settings of the running Corridor. Throws a `StartupError` if none is ready at `PUBLIC_URL`. */
export const runningCorridor = async (): Promise<Config> => requireReady(await probeCorridor());

export function requireReady({ config, state }: Probe): Config {
  if (state === 'ready') return config;
  throw new StartupError(
    `No Corridor is ready at ${config.publicUrl}. Start one with "npm start", in another terminal, or set PUBLIC_URL to the address of one.`,
  );
}

/** The page of an order's workflow in the Temporal UI. */
export function workflowUrlOf(config: Config): (orderId: number) => string {
  const ui = temporalUi(config);
  return (orderId) =>
    ui ? `${ui}/order-${orderId}` : `workflow order-${orderId} (TEMPORAL_UI_URL is not set)`;
}

/** Undefined: the settings name another Temporal, and not its UI. The one at the default port may be another installation's. */
export const temporalUi = ({
  temporalUiUrl,
  temporalAddress,
  temporalUiPort,
  temporalNamespace,
}: Config): string | undefined =>
  temporalUiUrl || !temporalAddress
    ? workflowsUrl(temporalUiUrl ?? `http://127.0.0.1:${temporalUiPort}`, temporalNamespace)
    : undefined;
