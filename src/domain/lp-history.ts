import { decimal } from './money.ts';
import { estimatedProfit, type OrderTerms } from './offer-view.ts';

/** An order that an LP has completed, as its history counts it. Amounts are decimal strings, in USD. */
export interface CompletedOrder extends OrderTerms {
  /** The day of its completion in UTC: `2026-03-01`. */
  date: string;
  fee_usd: string;
  /** The LP's present rate for the order's currency, if it has one. */
  own_rate: string | null;
  /** From the claim to the fiat sent; null where that is not on record. */
  fiat_seconds: number | null;
}

export interface HistoryDay {
  date: string;
  completed: number;
  volume_usd: number;
  earned_usd: number;
  fees_usd: number;
  /** The lower of the two in the middle of an even number; null without any. */
  median_fiat_seconds: number | null;
}

const DAY_MS = 86_400_000;
const dateOf = (at: Date) => at.toISOString().slice(0, 10);

/** The first of so many days in UTC, of which the last is that of `now`. */
export const firstDayOf = (now: Date, days: number): Date =>
  new Date(Date.parse(dateOf(now)) - (days - 1) * DAY_MS);

/** What an LP did on each of so many days up to `now`, oldest first; days without an order are there as well. */
export function historyOf(orders: readonly CompletedOrder[], now: Date, days: number): HistoryDay[] {
  const byDate = Map.groupBy(orders, ({ date }) => date);
  const first = firstDayOf(now, days).getTime();
  return Array.from({ length: days }, (_, index) => {
    const date = dateOf(new Date(first + index * DAY_MS));
    return dayOf(date, byDate.get(date) ?? []);
  });
}

function dayOf(date: string, orders: readonly CompletedOrder[]): HistoryDay {
  const sum = (amount: (order: CompletedOrder) => ReturnType<typeof decimal>) =>
    orders.reduce((total, order) => total.plus(amount(order)), decimal(0));
  const seconds = orders.flatMap(({ fiat_seconds }) => fiat_seconds ?? []).sort((a, b) => a - b);
  return {
    date,
    completed: orders.length,
    volume_usd: sum(({ amount_usd }) => decimal(amount_usd)).toNumber(),
    // Summed up exactly: what is rounded for each order would not add up.
    earned_usd: sum((order) => estimatedProfit(order, order.own_rate))
      .toDecimalPlaces(2)
      .toNumber(),
    fees_usd: sum(({ fee_usd }) => decimal(fee_usd)).toNumber(),
    median_fiat_seconds: seconds[Math.floor((seconds.length - 1) / 2)] ?? null,
  };
}
