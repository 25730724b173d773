import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { cacheFolder } from './cache-folder.ts';

/**
 * Keeps the compiled code of this program and its libraries in the user's cache folder, so that the next start need not
 * compile them: that is half of what a start costs. Only modules that are imported after this call are kept. A folder that
 * cannot be written is no error: the code is compiled then, as without this.
 */
export function keepCompiledCode(): void {
  // Node reads the variable in the threads and programs that this one starts.
  process.env.NODE_COMPILE_CACHE ??= join(cacheFolder(process.env), 'code');
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
}
