import { join } from 'node:path';
import { type Config, loadConfig } from '../src/config.ts';
import { StartupError } from '../src/embedded/free-port.ts';
import { runningTemporal } from '../src/embedded/temporal.ts';
import { workflowsUrl } from '../src/temporal-ui.ts';
import { caller } from './http.ts';

/**
 * The settings of the Corridor that they lead to, with the Temporal UI that it brought along, whatever port that was given;
 * fails with a plain line where none is ready.
 */
export async function runningCorridor(): Promise<Config> {
  const config = loadConfig(process.env);
  const health = await caller(config.publicUrl)('GET', '/readyz').catch(() => undefined);
  if (health?.status !== 200) {
    throw new StartupError(
      `No Corridor is ready at ${config.publicUrl}. Start one with "npm start", in another terminal.`,
    );
  }
  if (config.temporalUiUrl || config.temporalAddress) return config;
  const embedded = await runningTemporal(join(config.dataDir, 'temporal.sqlite'));
  return { ...config, temporalUiUrl: embedded?.uiUrl };
}

/** Where an order's workflow can be looked at. */
export const workflowUrlOf = (config: Config) => (orderId: number) =>
  `${temporalUi(config)}/order-${orderId}`;

export const temporalUi = ({ temporalUiUrl, temporalUiPort, temporalNamespace }: Config): string =>
  workflowsUrl(temporalUiUrl ?? `http://127.0.0.1:${temporalUiPort}`, temporalNamespace);
