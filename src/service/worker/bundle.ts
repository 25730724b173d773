import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleOption } from '@temporalio/worker';
import { CACHE_FOLDER, cachedBuild, PROJECT } from '../../process/build-cache.ts';

/** The folders that the bundle imports from. A test checks that there are no others. */
export const BUNDLED = ['workflows', 'src/domain'];

/** `full`: the Temporal UI shows where a workflow waits, and its errors have stacks. `none`: orders cost less CPU time. */
export type WorkflowStacks = 'full' | 'none';

/** Bundles the code that runs in Temporal's sandbox into one file. This takes seconds of CPU time. */
export const bundleWorkflows = async (stacks: WorkflowStacks = 'none'): Promise<string> => {
  const inWorkflows = (file: string) => join(PROJECT, 'workflows', file);
  const { code } = await bundleWorkflowCode({
    workflowsPath: inWorkflows('index.ts'),
    preloadModules: stacks === 'none' ? [inWorkflows('shallow-stacks.ts')] : [],
    logger: new DefaultLogger('WARN'),
  });
  return code;
};

/** Returns the bundle, and reuses the last one if its sources have not changed, so that a worker restarts fast. */
export async function workflowBundle(
  stacks: WorkflowStacks = 'none',
  folder = CACHE_FOLDER,
  make: () => Promise<string> = () => bundleWorkflows(stacks),
): Promise<WorkflowBundleOption> {
  const name = stacks === 'none' ? 'workflows' : 'workflows-with-stacks';
  const kept = await cachedBuild({ name, extension: '.js', sources: BUNDLED, make }, folder);
  return 'path' in kept ? { codePath: kept.path } : { code: kept.content };
}
