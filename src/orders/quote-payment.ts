import type { Chains, PriceSource } from '../adapters/ports.ts';
import type { PricedRequest } from '../contract/payments.ts';
import type { NewOrder } from '../db/commands/create-order.ts';
import type { Database } from '../db/orm.ts';
import { bestOffer } from '../db/queries/best-offer.ts';
import { isStablecoin } from '../domain/assets.ts';
import { DomainError, invalidField } from '../domain/errors.ts';
import { decimal } from '../domain/money.ts';
import { quote } from '../domain/quote.ts';
import { acceptedToken } from './accepted-tokens.ts';

/** Far above any payout, and far below what the columns hold. */
const MAX_ORDER_USD = 1_000_000_000;
/** Tokens that are worth next to nothing must not overflow it either. */
const MAX_ORDER_CRYPTO = 1_000_000_000_000_000;

export interface QuoteDeps {
  db: Database;
  chains: Chains;
  prices: PriceSource;
  settings: QuoteSettings;
}

/** What a payout costs, and who quoted it: the part of an order that a rate lock can hold. */
export type PaymentQuote = Pick<
  NewOrder,
  | 'lp_id'
  | 'rate_usd'
  | 'spread_bps'
  | 'amount_fiat'
  | 'currency'
  | 'amount_usd'
  | 'fee_usd'
  | 'amount_crypto'
  | 'crypto_symbol'
  | 'crypto_chain'
> & { lp_id: number };

export interface QuoteSettings {
  platformFeeBps: number;
  /** The first cool-down after a strike, in ms. */
  strikeCoolDown: number;
}

/**
 * Prices a payout with the best LP's terms.
 * Refuses with `asset_not_accepted`, `pricing_unavailable`, `no_lp_available`, or `validation_failed` for an amount
 * beyond all payouts.
 */
export type QuotePayment = (request: PricedRequest) => Promise<PaymentQuote>;

export const createQuotePayment =
  ({ db, chains, prices, settings }: QuoteDeps): QuotePayment =>
  async (request) => {
    const { amount, currency, crypto_symbol, crypto_chain } = request;
    const { decimals } = acceptedToken(chains, crypto_symbol, crypto_chain);
    const cryptoUsd = isStablecoin(crypto_symbol) ? '1' : await prices.cryptoUsd(crypto_symbol);
    if (cryptoUsd === undefined) throw new DomainError('pricing_unavailable');
    const token = { symbol: crypto_symbol, chain: crypto_chain };
    const offer = await bestOffer(db, request, token, settings.strikeCoolDown);
    if (!offer) throw new DomainError('no_lp_available');
    const amounts = quote({
      amountFiat: amount,
      rateUsd: offer.rate_usd,
      spreadBps: offer.spread_bps,
      feeBps: settings.platformFeeBps,
      cryptoUsd,
      cryptoDecimals: decimals,
    });
    if (decimal(amounts.amount_usd).gt(MAX_ORDER_USD)) {
      throw invalidField('amount', `must be worth at most ${MAX_ORDER_USD} USD`);
    }
    if (decimal(amounts.amount_crypto).gt(MAX_ORDER_CRYPTO)) {
      throw invalidField('amount', `must be at most ${MAX_ORDER_CRYPTO} ${crypto_symbol}`);
    }
    return { ...offer, ...amounts, amount_fiat: amount, currency, crypto_symbol, crypto_chain };
  };
