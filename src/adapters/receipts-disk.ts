import { access, type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReceiptStore } from './ports.ts';

/** Stores receipts as files in one folder. All API processes must share that folder, and the workers if they mask ended orders. */
export function createDiskReceiptStore(folder: string): ReceiptStore {
  const fileOf = (key: string) => join(folder, key);
  return {
    put: async (key, { path }) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // The bytes reach the disk before the name, and the name before the answer: a receipt that Corridor has accepted survives a
      // power cut.
      await synced(await open(path, 'r+'));
      await rename(path, fileOf(key));
      await synced(await open(folder)).catch(ignoreIfImpossible);
    },
    open: async (key) => {
      try {
        return (await open(fileOf(key))).createReadStream();
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    remove: async (key) => {
      await rm(fileOf(key), { force: true });
      // Without the folder, this process does not share it, and the file may still be there.
      await access(folder);
    },
  };
}

async function synced(file: FileHandle): Promise<void> {
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Some network file systems cannot sync a folder. They decide themselves when a name is safe. */
function ignoreIfImpossible(error: NodeJS.ErrnoException): void {
  if (!['EINVAL', 'ENOTSUP'].includes(error.code ?? '')) throw error;
}
