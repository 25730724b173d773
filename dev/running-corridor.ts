import { join } from 'node:path';
import { StartupError } from '../src/process/startup-error.ts';
import { runningTemporal } from '../src/service/embedded/temporal.ts';
import { type Config, loadCommandConfig } from '../src/settings/config.ts';
import { workflowsUrl } from '../src/temporal/ui.ts';
import { createCaller } from './http-client.ts';

/**
 * The settings of the running Corridor, including the Temporal UI that it started on any port. Throws a `StartupError`
 * if no Corridor is ready at `PUBLIC_URL`.
 */
export async function runningCorridor(): Promise<Config> {
  const config = loadCommandConfig(process.env);
  const health = await createCaller(config.publicUrl)('GET', '/readyz').catch(() => undefined);
  if (health?.status !== 200) {
    throw new StartupError(
      `No Corridor is ready at ${config.publicUrl}. Start one with "npm start", in another terminal, or set PUBLIC_URL to the address of one.`,
    );
  }
  if (config.temporalUiUrl || config.temporalAddress) return config;
  const embedded = await runningTemporal(join(config.dataDir, 'temporal.sqlite'));
  return { ...config, temporalUiUrl: embedded?.uiUrl };
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
