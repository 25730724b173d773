import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Releases } from './releases.ts';

const LOOK_EVERY_MS = 500;

export interface FirstReleaseDeps {
  releases: Pick<Releases, 'promoteFirst'>;
  /** The release of this worker, which polls; undefined: it names none. */
  release: string | undefined;
  log: Logger;
}

/**
 * Makes a worker's release the current one where none has ever been, so that naming releases needs nothing else to begin
 * with. Later ones are an operator's to promote: a worker cannot know whether it is newer than the others, or older.
 */
export function promoteFirstRelease({ releases, release, log }: FirstReleaseDeps): {
  close: () => Promise<void>;
} {
  const closing = new AbortController();
  const done = release === undefined ? Promise.resolve() : promote(release);
  return {
    close: () => {
      closing.abort();
      return done;
    },
  };

  async function promote(release: string): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        if (await releases.promoteFirst(release))
          log.info({ release }, 'the first release is the current one');
        return;
      } catch (error) {
        // Temporal learns of a release by the first poll of its worker, a moment after its start.
        log.debug({ err: error, release }, 'the first release is not known yet');
        await delay(LOOK_EVERY_MS, undefined, { signal: closing.signal }).catch(() => undefined);
      }
    }
  }
}
