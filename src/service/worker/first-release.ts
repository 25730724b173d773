import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Releases } from '../../temporal/versioning.ts';

const RETRY_INTERVAL_MS = 500;
/** Temporal may lose its store while the workers run, and then has no current release again. */
const CHECK_INTERVAL_MS = 30_000;

export interface FirstReleaseDeps {
  releases: Pick<Releases, 'promoteFirst'>;
  /** The release of this process's worker, which polls already. Undefined: it names none. */
  release: string | undefined;
  log: Logger;
  /** Milliseconds between two questions to Temporal. */
  checkIntervalMs?: number;
}

/**
 * Makes a worker's release the current one whenever there has never been a current one, so that the first release needs no
 * extra step, and orders continue in an empty Temporal. An operator promotes later releases: a worker cannot know whether it is
 * newer or older than the others.
 */
export function promoteFirstRelease({
  releases,
  release,
  log,
  checkIntervalMs = CHECK_INTERVAL_MS,
}: FirstReleaseDeps): { close: () => Promise<void> } {
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
      let waitMs = checkIntervalMs;
      try {
        if (await releases.promoteFirst(release))
          log.info({ release }, 'made the first release the current one');
      } catch (error) {
        // Temporal learns of a release by the first poll of its worker, shortly after the start.
        log.debug({ err: error, release }, 'Temporal does not know the first release yet');
        waitMs = RETRY_INTERVAL_MS;
      }
      await delay(waitMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }
}
