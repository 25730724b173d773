import { createHash, randomUUID } from 'node:crypto';
import { access, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
/** In node_modules, so that a new installation also clears it. */
export const CACHE_FOLDER = join(PROJECT, 'node_modules', '.cache', 'corridor');

/** An expensive build whose result depends only on the files of some folders and on the installed packages. */
export interface Build {
  /** Start of the file's name. */
  name: string;
  /** With the dot. */
  extension: string;
  /** Folders of the project. */
  sources: readonly string[];
  make: () => Promise<string>;
}

/** The path of the cached build of the same sources, or the content of a new build. */
export async function cachedBuild(
  { name, extension, sources, make }: Build,
  folder = CACHE_FOLDER,
): Promise<{ path: string } | { content: string }> {
  const path = join(folder, `${name}-${await fingerprint(sources)}${extension}`);
  if (await exists(path)) return { path };
  const content = await make();
  try {
    await mkdir(folder, { recursive: true });
    // Another process may build at the same time, and must not read an incomplete file.
    const draft = join(folder, randomUUID());
    await writeFile(draft, content);
    await rename(draft, path);
  } catch (error) {
    // A read-only installation builds at every start.
    if (!['EACCES', 'EPERM', 'EROFS'].includes(String((error as NodeJS.ErrnoException).code))) throw error;
  }
  return { content };
}

async function fingerprint(sources: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of sources) {
    const entries = await readdir(join(PROJECT, folder), { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    for (const file of files.sort())
      hash.update(`${file.slice(PROJECT.length)}\n`).update(await readFile(file));
  }
  return hash
    .update(await readFile(join(PROJECT, 'package-lock.json')))
    .digest('hex')
    .slice(0, 32);
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
