import { type Config, loadConfig } from '../src/config.ts';
import { StartupError } from '../src/embedded/free-port.ts';
import { workflowsUrl } from '../src/temporal-ui.ts';
import { caller } from './http.ts';

/** The settings of the Corridor that they lead to; fails with a plain line where none is ready. */
export async function runningCorridor(): Promise<Config> {
  const config = loadConfig(process.env);
  const health = await caller(config.publicUrl)('GET', '/readyz').catch(() => undefined);
  if (health?.status !== 200) {
    throw new StartupError(
      `No Corridor is ready at ${config.publicUrl}. Start one with "npm start", in another terminal.`,
    );
  }
  return config;
}

/** Where an order's workflow can be looked at. */
export const workflowUrlOf = (config: Config) => (orderId: number) =>
  `${temporalUi(config)}/order-${orderId}`;

export const temporalUi = ({ temporalUiUrl, temporalUiPort, temporalNamespace }: Config): string =>
  workflowsUrl(temporalUiUrl ?? `http://127.0.0.1:${temporalUiPort}`, temporalNamespace);
