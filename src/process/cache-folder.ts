import { homedir } from 'node:os';
import { join } from 'node:path';

/** The user's folder for files that all Corridors on this machine share. */
export const cacheFolder = (env: NodeJS.ProcessEnv): string =>
  join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'corridor');
