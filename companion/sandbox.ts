import type { Ending } from '../demo/ending.ts';
import { caller, expectStatus } from '../demo/http.ts';
import { type DemoLp, introduceLp, type LpTerms } from '../demo/parties.ts';
import type { Program } from '../demo/program.ts';
import { runningCorridor, workflowUrlOf } from '../demo/running-corridor.ts';
import type { Scene } from '../demo/stage.ts';
import type { Config } from '../src/config.ts';
import { StartupError } from '../src/embedded/free-port.ts';
import { loadSecrets } from '../src/secrets.ts';

/** The sandbox that runs where the settings lead. */
export interface Sandbox {
  config: Config;
  scene: Scene;
  ending: Ending;
}

/** Fails with a plain line where no Corridor is ready, or it has no sandbox. */
export async function findSandbox({ tell, show, ending }: Program): Promise<Sandbox> {
  const config = await runningCorridor();
  const { paths } = await expectStatus(200, caller(config.publicUrl)('GET', '/openapi.json'));
  if (!('/sandbox/orders/{orderId}/advance' in paths)) {
    throw new StartupError(
      `The Corridor at ${config.publicUrl} has no sandbox: nothing is simulated there. Start one with SANDBOX=true.`,
    );
  }
  const { adminApiKey: adminKey } = await loadSecrets(config);
  const scene = { baseUrl: config.publicUrl, adminKey, tell, show, workflowUrl: workflowUrlOf(config) };
  return { config, scene, ending };
}

/** An LP for as long as this program runs: approved at once, and suspended at the end, so that it is quoted no more. */
export async function engageLp({ scene, ending }: Sandbox, terms: LpTerms): Promise<DemoLp> {
  const admin = caller(scene.baseUrl, scene.adminKey);
  const lp = await introduceLp(scene, terms);
  ending.add(async () => {
    await expectStatus(200, admin('POST', `/api/admin/lps/${lp.id}/suspend`, {}));
  });
  await expectStatus(200, admin('POST', `/api/admin/lps/${lp.id}/approve`, {}));
  return lp;
}
