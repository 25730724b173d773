import type { Chain } from '../domain/assets.ts';

/** A chain could not be asked. The message says what failed, and never where: addresses of nodes have keys in them. */
export class ChainUnavailable extends Error {
  override readonly name = 'ChainUnavailable';

  constructor(chain: Chain, what: string) {
    super(`${chain} cannot be asked: ${what.replace(/\b(https?|wss?):\/\/\S+/g, '(address)')}`);
  }
}

/** Shorter than the activity's 10 s, so that what failed is told, and not just that time ran out. */
const LOOK_WITHIN_MS = 7_500;

/** One look at a chain, with all its requests and their repeats, in bounded time. */
export async function boundedLook<T>(chain: Chain, work: Promise<T>): Promise<T> {
  let clock: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    const late = () => reject(new ChainUnavailable(chain, `no answer within ${LOOK_WITHIN_MS} ms`));
    clock = setTimeout(late, LOOK_WITHIN_MS);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(clock);
  }
}
