import { createHash, randomUUID } from 'node:crypto';
import { access, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PROJECT = fileURLToPath(new URL('../', import.meta.url));
/** Beside what it was made with, and gone when that is installed anew. */
export const KEPT_IN = join(PROJECT, 'node_modules', '.cache', 'corridor');

/** Something that takes a while to make, and is made of nothing but the files of some folders and of packages. */
export interface Build {
  /** Its file's name begins with it. */
  name: string;
  /** With its dot. */
  extension: string;
  /** Folders of the project. */
  sources: readonly string[];
  make: () => Promise<string>;
}

/** The build's file from the last time that it was made of the same sources, or else what has been made now. */
export async function keptBuild(
  { name, extension, sources, make }: Build,
  folder = KEPT_IN,
): Promise<{ path: string } | { content: string }> {
  const path = join(folder, `${name}-${await fingerprint(sources)}${extension}`);
  if (await isThere(path)) return { path };
  const content = await make();
  try {
    await mkdir(folder, { recursive: true });
    // Others may be at it at the same time, and must not read half of it.
    const draft = join(folder, randomUUID());
    await writeFile(draft, content);
    await rename(draft, path);
  } catch (error) {
    // An installation that may not be written to makes it at every start.
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

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
