import type { Chain } from '../domain/assets.ts';

/** A chain cannot be reached. The message names the failure but not the node's address, which may contain a key. */
export class ChainUnavailable extends Error {
  override readonly name = 'ChainUnavailable';

  constructor(chain: Chain, what: string) {
    super(`${chain} cannot be queried: ${what.replace(/\b(https?|wss?):\/\/\S+/g, '(address)')}`);
  }
}

/** Shorter than the activity's 10 s, so that the error names the failure instead of the activity's timeout. */
const LOOK_TIMEOUT_MS = 7_500;

/** Limits the time of one chain check, including all its requests and retries. */
export async function boundedLook<T>(chain: Chain, work: Promise<T>): Promise<T> {
  let clock: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const expire = () => reject(new ChainUnavailable(chain, `no answer within ${LOOK_TIMEOUT_MS} ms`));
    clock = setTimeout(expire, LOOK_TIMEOUT_MS);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(clock);
  }
}
