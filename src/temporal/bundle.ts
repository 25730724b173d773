import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleOption } from '@temporalio/worker';
import { CACHE_FOLDER, cachedBuild, PROJECT } from '../process/build-cache.ts';

/** The folders that the bundle imports from. A test checks that there are no others. */
export const BUNDLED = ['workflows', 'src/domain'];

/** Bundles the code that runs in Temporal's sandbox into one file. This takes seconds of CPU time. */
export const bundleWorkflows = async (): Promise<string> => {
  const workflowsPath = join(PROJECT, 'workflows', 'index.ts');
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') });
  return code;
};

/** Returns the bundle, and reuses the last one if its sources have not changed, so that a worker restarts fast. */
export async function workflowBundle(
  folder = CACHE_FOLDER,
  make: () => Promise<string> = bundleWorkflows,
): Promise<WorkflowBundleOption> {
  const kept = await cachedBuild({ name: 'workflows', extension: '.js', sources: BUNDLED, make }, folder);
  return 'path' in kept ? { codePath: kept.path } : { code: kept.content };
}
