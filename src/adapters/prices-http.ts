import type { Logger } from 'pino';
import { z } from 'zod';
import { decimal } from '../domain/money.ts';
import { readBoundedJson } from './bounded-json.ts';
import type { PriceSource, SourcePrices } from './ports.ts';

export interface PriceHttpOptions {
  /** May contain a key. */
  url: string;
  /** Milliseconds. Older prices are ignored. */
  maxAgeMs: number;
  /** Stores fresh prices before they are used. */
  store?: ((prices: SourcePrices) => Promise<void>) | undefined;
  log: Logger;
}

const REQUEST_TIMEOUT_MS = 3_000;
/** The shortest time between two requests to the source, whether they succeed or fail. */
const ASK_AGAIN_MS = 5_000;
/** After a pause of this length, callers wait for new prices. */
const IDLE_MS = 30_000;
const MAX_ANSWER_LENGTH = 1024 * 1024;
/** How far the source's clock may be ahead of ours. Prices dated far in the future would stay usable for too long. */
const MAX_AHEAD_MS = 60_000;

const price = z
  .string()
  .regex(/^\d{1,18}(\.\d{1,18})?$/)
  .refine((text) => decimal(text).gt(0));

/** The response of a price source. */
const Answer = z.object({
  as_of: z.iso.datetime({ offset: true }),
  /** USD for one token, by symbol. */
  crypto_usd: z.record(z.string(), price).default({}),
  /** Units for 1 USD, by currency. */
  per_usd: z.record(z.string(), price).default({}),
});

/** For an installation without a price source: every price is unknown. */
export const NO_PRICES: PriceSource = {
  cryptoUsd: async () => undefined,
  perUsd: async () => undefined,
  refresh: async () => undefined,
};

/**
 * Reads prices from an HTTP source that responds with the JSON above. The last prices are used until they are too old, so
 * that a short outage of the source has no effect. Callers wait for the source while there are no usable prices, and when nobody
 * has asked for a while: otherwise an agent could order at the price from before the pause.
 */
export function createHttpPriceSource({ url, maxAgeMs, store, log }: PriceHttpOptions): PriceSource {
  let latest: SourcePrices | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;
  let wasIdle = false;

  const usable = () => (latest && Date.now() <= latest.usableUntil ? latest : undefined);

  async function current(): Promise<SourcePrices | undefined> {
    const pause = performance.now() - askedAt;
    if (!asking && pause >= ASK_AGAIN_MS) {
      askedAt = performance.now();
      wasIdle = pause >= IDLE_MS;
      asking = refresh().finally(() => {
        asking = undefined;
      });
    }
    if (wasIdle || !usable()) await asking;
    return usable();
  }

  async function refresh(): Promise<void> {
    try {
      const prices = await readPrices(url, maxAgeMs);
      await store?.(prices).catch((error: unknown) =>
        log.warn(
          { err: error },
          'the prices could not be stored; rates that are an offset from them may expire',
        ),
      );
      latest = prices;
      if (!usable()) log.warn('the price source’s prices are too old');
    } catch (error) {
      log.warn({ reason: (error as Error).message }, 'the price source gave no prices');
    }
  }

  return {
    cryptoUsd: async (symbol) => (await current())?.cryptoUsd.get(symbol.toLowerCase()),
    perUsd: async (currency) => (await current())?.perUsd.get(currency.toUpperCase()),
    refresh: async () => void (await current()),
  };
}

/** Errors have their own texts, because those of `fetch` may contain the address. */
async function readPrices(url: string, maxAgeMs: number): Promise<SourcePrices> {
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const response = await fetch(url, {
    signal,
    redirect: 'error',
    headers: { accept: 'application/json' },
  }).catch((error: Error) => {
    throw new Error(error.name === 'TimeoutError' ? 'no answer in time' : 'no connection');
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`HTTP ${response.status}`);
  }
  const answer = Answer.safeParse(await readBoundedJson(response, MAX_ANSWER_LENGTH));
  if (!answer.success) {
    const [issue] = answer.error.issues;
    throw new Error(`the answer is not as documented: ${issue?.path.join('.') || 'no JSON object'}`);
  }
  const { as_of, crypto_usd, per_usd } = answer.data;
  const asOf = Date.parse(as_of);
  if (asOf > Date.now() + MAX_AHEAD_MS) throw new Error('as_of is in the future');
  const keyed = (prices: Record<string, string>, key: (name: string) => string) =>
    new Map(Object.entries(prices).map(([name, value]) => [key(name), value]));
  return {
    asOf,
    usableUntil: asOf + maxAgeMs,
    cryptoUsd: keyed(crypto_usd, (name) => name.toLowerCase()),
    perUsd: keyed(per_usd, (name) => name.toUpperCase()),
  };
}
