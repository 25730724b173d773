import { createHash, randomUUID } from 'node:crypto';
import { access, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleOption } from '@temporalio/worker';

const PROJECT = fileURLToPath(new URL('../', import.meta.url));
/** All that a bundle is made of: a test sees to it. */
export const BUNDLED = ['workflows', 'src/domain'];
/** Beside what it was made with, and gone when that is installed anew. */
const KEPT_IN = join(PROJECT, 'node_modules', '.cache', 'corridor');

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
  const codePath = join(folder, `workflows-${await fingerprint()}.js`);
  if (await isThere(codePath)) return { codePath };
  const code = await make();
  try {
    await mkdir(folder, { recursive: true });
    // Others may be at it at the same time, and must not read half of it.
    const draft = join(folder, randomUUID());
    await writeFile(draft, code);
    await rename(draft, codePath);
  } catch (error) {
    // An installation that may not be written to makes it at every start.
    if (!['EACCES', 'EPERM', 'EROFS'].includes(String((error as NodeJS.ErrnoException).code))) throw error;
  }
  return { code };
}

async function fingerprint(): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of BUNDLED) {
    const names = await readdir(join(PROJECT, folder), { recursive: true });
    for (const name of names.filter((name) => name.endsWith('.ts')).sort())
      hash.update(`${name}\n`).update(await readFile(join(PROJECT, folder, name)));
  }
  return hash
    .update(await readFile(join(PROJECT, 'package-lock.json')))
    .digest('hex')
    .slice(0, 32);
}

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
