import { randomBytes } from 'node:crypto';
import { RateLock } from '../../db/entities/rate-lock.ts';
import { DomainError } from '../../domain/errors.ts';
import { decimal } from '../../domain/money.ts';
import { rateLabel } from '../../domain/quote.ts';
import { acceptedToken } from './accepted-tokens.ts';
import { type FoundRateLock, findRateLock } from './find-rate-lock.ts';
import { insertRateLock } from './insert-rate-lock.ts';
import {
  createQuotePayment,
  type OpenQuote,
  type PricedPayout,
  type QuoteDeps,
  type QuoteSettings,
} from './quote-payment.ts';

/** The agent's view of a locked quote. */
export interface RateLockView {
  rate_lock_id: string;
  rate: string;
  rate_usd: number;
  crypto_amount: number;
  fee_usd: number;
  lp: { id: number; rate: number };
  expires_at: string;
}

/** A payout that may name a rate lock. */
export type LockablePayout = PricedPayout & { rate_lock_id?: string | undefined };

/** Quotes that agents lock for a limited time. */
export interface RateLocks {
  /** Quotes a payout and locks the quote with its exact amount. Refuses with `amounts_exhausted` if none is free. */
  lock: (agentKeyId: number, request: PricedPayout) => Promise<RateLockView>;
  /**
   * The quote of the payment's rate lock, or a new quote. Refuses a lock of another payout with `bad_rate_lock`, and one whose
   * order no LP could claim now with `no_lp_available`: the lock stays unused.
   */
  quoteFor: (agentKeyId: number, payment: LockablePayout) => Promise<OpenQuote>;
  /** Returns the refusal for a lock that `quoteFor` accepted, but that was used or expired a moment later. */
  explainLostLock: (agentKeyId: number, lockId: string) => Promise<DomainError>;
}

const UNKNOWN = 'Unknown rate_lock_id';
const USED = 'This rate lock has been used';
const EXPIRED = 'This rate lock has expired: ask for a new one';

export interface RateLockSettings extends QuoteSettings {
  /** Milliseconds. */
  rateLockTimeout: number;
}

export interface RateLockDeps extends QuoteDeps {
  settings: RateLockSettings;
}

export function createRateLocks({ db, settings, ...rest }: RateLockDeps): RateLocks {
  const quotePayment = createQuotePayment({ db, settings, ...rest });

  return {
    lock: async (agent_key_id, request) => {
      const { amounts, ...quote } = await quotePayment(request);
      const id = `rl_${randomBytes(24).toString('hex')}`;
      const lock = { id, agent_key_id, lifetime: settings.rateLockTimeout };
      const { amount, expires_at } = await insertRateLock(db, lock, quote, amounts);
      return {
        rate_lock_id: id,
        rate: rateLabel(quote.rate_usd, quote.currency),
        rate_usd: Number(quote.rate_usd),
        crypto_amount: Number(amount),
        fee_usd: Number(quote.fee_usd),
        lp: { id: quote.lp_id, rate: Number(quote.rate_usd) },
        expires_at: expires_at.toISOString(),
      };
    },

    quoteFor: async (agentKeyId, request) => {
      const { rate_lock_id: lockId } = request;
      if (lockId === undefined) return quotePayment(request);
      const { corridor_method: corridorMethod } = request;
      const coolDown = settings.strikeCoolDown;
      const lock = await findRateLock(db, { id: lockId, agentKeyId, corridorMethod, coolDown });
      if (!lock) throw new DomainError('bad_rate_lock', UNKNOWN);
      if (lock.order_id) throw new DomainError('bad_rate_lock', USED);
      if (lock.has_expired) throw new DomainError('bad_rate_lock', EXPIRED);
      if (!isFor(lock, request))
        throw new DomainError('bad_rate_lock', `This rate lock is for ${named(lock, request)}`);
      // The chain may have been removed from the settings after the lock was made.
      acceptedToken(rest.chains, lock.crypto_symbol, lock.crypto_chain);
      if (!lock.is_claimable) throw new DomainError('no_lp_available');
      const { lp_id, rate_usd, spread_bps, amount_fiat, currency, method } = lock;
      const { amount_usd, fee_usd, amount_crypto, crypto_symbol, crypto_chain } = lock;
      return {
        amounts: null,
        lp_id,
        rate_usd,
        spread_bps,
        amount_fiat,
        currency,
        method,
        amount_usd,
        fee_usd,
        amount_crypto,
        crypto_symbol,
        crypto_chain,
      };
    },

    explainLostLock: async (agentKeyId, lockId) => {
      const lock = await db.em().findOne(RateLock, { id: lockId, agent_key_id: agentKeyId });
      return new DomainError('bad_rate_lock', lock?.order_id ? USED : EXPIRED);
    },
  };
}

const isFor = (
  lock: FoundRateLock,
  { amount, currency, method, crypto_symbol, crypto_chain }: PricedPayout,
): boolean =>
  decimal(lock.amount_fiat).eq(amount) &&
  lock.currency === currency &&
  lock.method === method &&
  lock.crypto_symbol === crypto_symbol &&
  lock.crypto_chain === crypto_chain;

/** Names the method only if the method differs. */
function named(lock: FoundRateLock, { method }: PricedPayout): string {
  const by = lock.method === method ? '' : ` by ${lock.method}`;
  return `${decimal(lock.amount_fiat).toFixed()} ${lock.currency}${by} in ${lock.crypto_symbol} on ${lock.crypto_chain}`;
}
