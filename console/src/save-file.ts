import { download } from './api.ts';

/**
 * Downloads a file that only the signed-in user may read, and saves it. The browser never displays it, since LPs
 * upload these files. The public URL may have another origin; the page calls only its own.
 */
export async function saveFile(publicUrl: string): Promise<void> {
  await savePath(new URL(publicUrl, location.href).pathname);
}

/** The same for a path of the API. */
export async function savePath(path: string): Promise<void> {
  const { content, name } = await download(path);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
