import { decimal } from './money.ts';
import { estimatedProfit, type OrderTerms } from './offer-view.ts';

/** An order that an LP has completed. Amounts are decimal strings, in USD. */
export interface CompletedOrder extends OrderTerms {
  /** The day of its completion in UTC: `2026-03-01`. */
  date: string;
  fee_usd: string;
  /** The LP's own rate when it claimed the order; null: it had none that held. */
  own_rate: string | null;
  /** From the claim to the fiat sent. Null if one of the two was not recorded. */
  fiat_seconds: number | null;
}

export interface HistoryDay {
  date: string;
  completed: number;
  volume_usd: number;
  /** The profit of the orders whose profit is known. */
  earned_usd: number;
  /** The number of the other orders. */
  profit_unknown: number;
  fees_usd: number;
  /** For an even number of values, the lower of the two middle values. Null: there is no value. */
  median_fiat_seconds: number | null;
}

const DAY_MS = 86_400_000;
const dateOf = (at: Date) => at.toISOString().slice(0, 10);

/** Returns the start of the first day (UTC) of a period of this many days that ends with the day of `now`. */
export const firstDayOf = (now: Date, days: number): Date =>
  new Date(Date.parse(dateOf(now)) - (days - 1) * DAY_MS);

/** Sums up each day of the period that ends with the day of `now`, oldest first, including days without an order. */
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
    // Summed before rounding: values rounded for each order would not add up.
    earned_usd: sum((order) =>
      order.own_rate === null ? decimal(0) : estimatedProfit(order, order.own_rate),
    )
      .toDecimalPlaces(2)
      .toNumber(),
    profit_unknown: orders.filter(({ own_rate }) => own_rate === null).length,
    fees_usd: sum(({ fee_usd }) => decimal(fee_usd)).toNumber(),
    median_fiat_seconds: seconds[Math.floor((seconds.length - 1) / 2)] ?? null,
  };
}
