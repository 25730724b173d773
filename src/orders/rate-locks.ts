import { randomBytes } from 'node:crypto';
import type { PayRequest, PricedRequest, RateLockResponse } from '../contract/payments.ts';
import { RateLock } from '../db/entities/rate-lock.ts';
import { DomainError } from '../domain/errors.ts';
import { decimal } from '../domain/money.ts';
import { rateLabel } from '../domain/quote.ts';
import { acceptedToken } from './accepted-tokens.ts';
import {
  createQuotePayment,
  type PaymentQuote,
  type QuoteDeps,
  type QuoteSettings,
} from './quote-payment.ts';

/** Quotes that are held for an agent for a while. */
export interface RateLocks {
  /** Quotes a payout and holds the quote. */
  lock: (agentKeyId: number, request: PricedRequest) => Promise<RateLockResponse>;
  /** The quote that the payment's lock holds, or a new one. `bad_rate_lock` when the lock is not for this payout. */
  quoteFor: (agentKeyId: number, payment: PayRequest) => Promise<PaymentQuote>;
  /** Why a lock that `quoteFor` has let through could not be taken a moment later. */
  whyNotTaken: (agentKeyId: number, lockId: string) => Promise<DomainError>;
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
  /** Another agent's lock is as unknown as one that never was. */
  const find = (agent_key_id: number, id: string) => db.em().findOne(RateLock, { id, agent_key_id });

  return {
    lock: async (agent_key_id, request) => {
      const quote = await quotePayment(request);
      const id = `rl_${randomBytes(24).toString('hex')}`;
      const expires_at = new Date(Date.now() + settings.rateLockTimeout);
      await db.em().insert(RateLock, { id, agent_key_id, ...quote, expires_at });
      return {
        rate_lock_id: id,
        rate: rateLabel(quote.rate_usd, quote.currency),
        rate_usd: Number(quote.rate_usd),
        crypto_amount: Number(quote.amount_crypto),
        fee_usd: Number(quote.fee_usd),
        lp: { id: quote.lp_id, rate: Number(quote.rate_usd) },
        expires_at: expires_at.toISOString(),
      };
    },

    quoteFor: async (agentKeyId, request) => {
      const { rate_lock_id: lockId } = request;
      if (lockId === undefined) return quotePayment(request);
      const lock = await find(agentKeyId, lockId);
      if (!lock) throw new DomainError('bad_rate_lock', UNKNOWN);
      if (lock.order_id) throw new DomainError('bad_rate_lock', USED);
      if (lock.expires_at.getTime() <= Date.now()) throw new DomainError('bad_rate_lock', EXPIRED);
      if (!isFor(lock, request))
        throw new DomainError('bad_rate_lock', `This rate lock is for ${named(lock)}`);
      // A chain may have been taken out of the settings since the lock was made.
      acceptedToken(rest.chains, lock.crypto_symbol, lock.crypto_chain);
      const { lp_id, rate_usd, spread_bps, amount_fiat, currency } = lock;
      const { amount_usd, fee_usd, amount_crypto, crypto_symbol, crypto_chain } = lock;
      return {
        lp_id,
        rate_usd,
        spread_bps,
        amount_fiat,
        currency,
        amount_usd,
        fee_usd,
        amount_crypto,
        crypto_symbol,
        crypto_chain,
      };
    },

    whyNotTaken: async (agentKeyId, lockId) => {
      const lock = await find(agentKeyId, lockId);
      return new DomainError('bad_rate_lock', lock?.order_id ? USED : EXPIRED);
    },
  };
}

const isFor = (lock: RateLock, { amount, currency, crypto_symbol, crypto_chain }: PricedRequest): boolean =>
  decimal(lock.amount_fiat).eq(amount) &&
  lock.currency === currency &&
  lock.crypto_symbol === crypto_symbol &&
  lock.crypto_chain === crypto_chain;

const named = ({ amount_fiat, currency, crypto_symbol, crypto_chain }: RateLock): string =>
  `${decimal(amount_fiat).toFixed()} ${currency} in ${crypto_symbol} on ${crypto_chain}`;
