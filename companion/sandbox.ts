import { createLp, type DemoLp, type LpTerms } from '../dev/actors.ts';
import type { Cleanup } from '../dev/cleanup.ts';
import type { Context } from '../dev/context.ts';
import { createCaller, createCallers, expectStatus } from '../dev/http-client.ts';
import type { Program } from '../dev/program.ts';
import { runningCorridor, workflowUrlOf } from '../dev/running-corridor.ts';
import { StartupError } from '../src/process/startup-error.ts';
import type { Config } from '../src/settings/config.ts';
import { runningSecret } from '../src/settings/secrets.ts';

/** The running Corridor that the settings name, which is a sandbox. */
export interface Sandbox {
  config: Config;
  context: Context;
  cleanup: Cleanup;
}

/** Throws a `StartupError` if no Corridor is ready, or if it is not a sandbox. */
export async function findSandbox({ narrate, print, cleanup }: Program): Promise<Sandbox> {
  const config = await runningCorridor();
  const { paths } = await expectStatus(200, createCaller(config.publicUrl)('GET', '/openapi.json'));
  if (!('/sandbox/orders/{orderId}/advance' in paths)) {
    throw new StartupError(
      `The Corridor at ${config.publicUrl} is not a sandbox. Start one with SANDBOX=true.`,
    );
  }
  const { value: adminKey } = await runningSecret('adminApiKey', config);
  const onWait = (seconds: number) => print(`Corridor limits these calls: trying again in ${seconds} s`);
  const context = {
    ...{ baseUrl: config.publicUrl, adminKey, narrate, print, onWait },
    workflowUrl: workflowUrlOf(config),
  };
  return { config, context, cleanup };
}

/** Adds an approved LP. The cleanup suspends it, so that Corridor stops quoting it when this program ends. */
export async function addLp({ context, cleanup }: Sandbox, terms: LpTerms): Promise<DemoLp> {
  const { admin } = createCallers(context.baseUrl, context.adminKey, context.onWait);
  const lp = await createLp(context, terms);
  cleanup.add(async () => {
    await expectStatus(200, admin('POST', `/api/admin/lps/${lp.id}/suspend`, {}));
  });
  await expectStatus(200, admin('POST', `/api/admin/lps/${lp.id}/approve`, {}));
  return lp;
}
