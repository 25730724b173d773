import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Cleanup } from '../../dev/cleanup.ts';
import { PROJECT } from '../../src/process/build-cache.ts';
import { disable, type Guard } from './guard.ts';

/** A copy of the project in a temporary folder, where guards can be disabled. */
export interface ProjectCopy {
  folder: string;
  /** For the temporary files of the tests, which belong to the copy. */
  temporary: string;
  /** Runs `work` while the guard is disabled. */
  without: <T>(guard: Guard, work: () => Promise<T>) => Promise<T>;
}

/** Folders that other commands write. They are not copied. */
const LEFT_OUT = ['node_modules', '.git', '.data', 'coverage'];

/**
 * Copies the working tree with its uncommitted changes. The packages are linked, without the build cache. The
 * cleanup deletes the copy.
 */
export async function copyProject(cleanup: Cleanup): Promise<ProjectCopy> {
  const root = await mkdtemp(join(tmpdir(), 'corridor-guards-'));
  cleanup.add(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));
  const [folder, temporary] = [join(root, 'project'), join(root, 'tmp')];
  await mkdir(temporary);
  await cp(PROJECT, folder, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !LEFT_OUT.includes(basename(source)),
  });
  await mkdir(join(folder, 'node_modules'));
  const packages = await readdir(join(PROJECT, 'node_modules'));
  for (const name of packages.filter((entry) => entry !== '.cache'))
    await symlink(join(PROJECT, 'node_modules', name), join(folder, 'node_modules', name));
  return {
    folder,
    temporary,
    without: async (guard, work) => {
      const file = join(folder, guard.file);
      const source = await readFile(file, 'utf8');
      await writeFile(file, disable(guard, source));
      try {
        return await work();
      } finally {
        await writeFile(file, source);
      }
    },
  };
}
