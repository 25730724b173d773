import type { PricedRequest } from '../contract/payments.ts';
import type { NewOrder } from '../db/commands/create-order.ts';
import type { Database } from '../db/orm.ts';
import { bestOffer } from '../db/queries/best-offer.ts';
import { STABLECOINS } from '../domain/assets.ts';
import { DomainError, invalidField } from '../domain/errors.ts';
import { decimal, SCALE } from '../domain/money.ts';
import { quote } from '../domain/quote.ts';

/** Far above any payout, and far below what the columns hold. */
const MAX_ORDER_USD = 1_000_000_000;

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
 * Refuses with `pricing_unavailable`, `no_lp_available`, or `validation_failed` for an amount beyond all payouts.
 */
export type QuotePayment = (request: PricedRequest) => Promise<PaymentQuote>;

export const createQuotePayment =
  (db: Database, { platformFeeBps, strikeCoolDown }: QuoteSettings): QuotePayment =>
  async (request) => {
    const { amount, currency, crypto_symbol, crypto_chain } = request;
    if (!(STABLECOINS as readonly string[]).includes(crypto_symbol))
      throw new DomainError('pricing_unavailable');
    const token = { symbol: crypto_symbol, chain: crypto_chain };
    const offer = await bestOffer(db, request, token, strikeCoolDown);
    if (!offer) throw new DomainError('no_lp_available');
    const amounts = quote({
      amountFiat: amount,
      rateUsd: offer.rate_usd,
      spreadBps: offer.spread_bps,
      feeBps: platformFeeBps,
      cryptoUsd: '1',
      cryptoDecimals: SCALE.crypto,
    });
    if (decimal(amounts.amount_usd).gt(MAX_ORDER_USD)) {
      throw invalidField('amount', `must be worth at most ${MAX_ORDER_USD} USD`);
    }
    return { ...offer, ...amounts, amount_fiat: amount, currency, crypto_symbol, crypto_chain };
  };
