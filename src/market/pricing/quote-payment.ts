import type { Chains, PriceSource } from '../../adapters/ports.ts';
import type { Database } from '../../db/orm.ts';
import { type Chain, isStablecoin } from '../../domain/assets.ts';
import { DomainError, invalidField } from '../../domain/errors.ts';
import { type AmountRange, amountPlaces, amountRange, largestPrice } from '../../domain/exact-amount.ts';
import { decimal } from '../../domain/money.ts';
import { quote } from '../../domain/quote.ts';
import { acceptedToken } from './accepted-tokens.ts';
import type { OfferSettings } from './best-offer.ts';
import { createOfferSearch } from './offer-search.ts';

/** Far above any payout, and far below the range of the columns. */
const MAX_ORDER_USD = 1_000_000_000;

export interface QuoteDeps {
  db: Database;
  chains: Chains;
  prices: PriceSource;
  settings: QuoteSettings;
}

/** The terms of a payout that determine its price. Amounts are decimal strings. */
export interface PricedPayout {
  amount: string;
  currency: string;
  /** How the LP delivers the fiat. */
  method: string;
  /** The method of the LPs' terms; see `Delivery`. */
  corridor_method: string;
  crypto_symbol: string;
  crypto_chain: Chain;
}

/** The price of a payout and the LP that quoted it. A rate lock can hold it, and an order begins with it. */
export interface PaymentQuote {
  lp_id: number;
  rate_usd: string;
  spread_bps: number;
  amount_fiat: string;
  currency: string;
  method: string;
  amount_usd: string;
  fee_usd: string;
  amount_crypto: string;
  crypto_symbol: string;
  crypto_chain: Chain;
}

/** A quote with the amounts that its payment may ask for. Null: `amount_crypto` is the exact amount of a rate lock. */
export interface OpenQuote extends PaymentQuote {
  amounts: AmountRange | null;
}

/** A new quote. Its `amount_crypto` is the price without a suffix. */
export interface NewQuote extends OpenQuote {
  amounts: AmountRange;
}

export interface QuoteSettings extends OfferSettings {
  platformFeeBps: number;
}

/**
 * Quotes a payout at the terms of the best LP. Refuses with `asset_not_accepted`, `pricing_unavailable`,
 * `no_lp_available`, or `validation_failed` for an amount above the maximum.
 */
export type QuotePayment = (request: PricedPayout) => Promise<NewQuote>;

export function createQuotePayment({ db, chains, prices, settings }: QuoteDeps): QuotePayment {
  const findOffer = createOfferSearch(db, settings);
  return async (request) => {
    const { amount, currency, method, crypto_symbol, crypto_chain } = request;
    const { decimals } = acceptedToken(chains, crypto_symbol, crypto_chain);
    const cryptoUsd = isStablecoin(crypto_symbol) ? '1' : await prices.cryptoUsd(crypto_symbol);
    if (cryptoUsd === undefined) throw new DomainError('pricing_unavailable');
    // The statement compares the rates with the stored prices.
    await prices.refresh();
    const offer = await findOffer({
      ...{ currency, method: request.corridor_method, amount },
      ...{ symbol: crypto_symbol, chain: crypto_chain },
    });
    if (!offer) throw new DomainError('no_lp_available');
    const places = amountPlaces(cryptoUsd, decimals);
    const price = quote({
      amountFiat: amount,
      rateUsd: offer.rate_usd,
      spreadBps: offer.spread_bps,
      feeBps: settings.platformFeeBps,
      cryptoUsd,
      cryptoDecimals: places,
    });
    if (decimal(price.amount_usd).gt(MAX_ORDER_USD)) {
      throw invalidField('amount', `must be worth at most ${MAX_ORDER_USD} USD`);
    }
    const most = largestPrice(places);
    if (decimal(price.amount_crypto).gt(most)) {
      throw invalidField('amount', `must cost at most ${decimal(most).toFixed()} ${crypto_symbol}`);
    }
    const amounts = amountRange(price.amount_crypto, cryptoUsd, places);
    return {
      ...offer,
      ...price,
      amounts,
      amount_fiat: amount,
      currency,
      method,
      crypto_symbol,
      crypto_chain,
    };
  };
}
