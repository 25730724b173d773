import { resolve } from 'node:path';
import { StartupError } from '../process/startup-error.ts';

/** The file system refuses to write, or what should be a folder is none. */
const UNUSABLE = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EISDIR', 'ENOENT', 'ENOSPC', 'EDQUOT'];

/**
 * The result of work that writes to `DATA_DIR`. If the file system refuses a path of that folder, the error becomes one line
 * that names the setting.
 */
export async function usingDataDir<T>(dataDir: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { code = '', path, message } = error as NodeJS.ErrnoException;
    if (path === undefined || !UNUSABLE.includes(code) || !isWithin(resolve(path), resolve(dataDir)))
      throw error;
    throw new StartupError(
      `DATA_DIR (${resolve(dataDir)}) cannot be used (${message}). Make it a folder that Corridor can write to, or set DATA_DIR to another one.`,
      { cause: error },
    );
  }
}

/** The error may name the folder above, which cannot get a folder. */
const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(`${folder}/`) || folder.startsWith(`${path}/`);
