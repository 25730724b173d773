import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleOption } from '@temporalio/worker';
import { KEPT_IN, keptBuild, PROJECT } from './kept-build.ts';

/** All that a bundle is made of: a test sees to it. */
export const BUNDLED = ['workflows', 'src/domain'];

/** The code that runs in Temporal's sandbox, in one file. Making it takes seconds of a processor's work. */
export const bundleWorkflows = async (): Promise<string> => {
  const workflowsPath = join(PROJECT, 'workflows', 'index.ts');
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') });
  return code;
};

/** The same, from the last time that it was made of the same sources, so that a worker that died is soon back. */
export async function workflowBundle(
  folder = KEPT_IN,
  make: () => Promise<string> = bundleWorkflows,
): Promise<WorkflowBundleOption> {
  const kept = await keptBuild({ name: 'workflows', extension: '.js', sources: BUNDLED, make }, folder);
  return 'path' in kept ? { codePath: kept.path } : { code: kept.content };
}
