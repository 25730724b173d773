import { chainWords, tokenWords } from './words.ts';

const USD = new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD' });
/** Rates have up to eight digits after the point. */
const NUMBER = new Intl.NumberFormat(undefined, { maximumFractionDigits: 8 });
/** Swedish, because it writes years, months and days as ISO 8601 does. */
const TIME = new Intl.DateTimeFormat('sv-SE', {
  ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' },
});
const TIME_OF_DAY = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const DAY = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' });

export const formatUsd = (amount: number): string => USD.format(amount);

/** An LP's profit from an order. Null: it has no rate by which it could be computed. */
export const formatProfit = (profit: number | null): string =>
  profit === null ? 'unknown' : formatUsd(profit);

/** An amount in a currency or token, such as `6,475 KES`. */
export const formatMoney = (amount: number, unit: string): string =>
  `${NUMBER.format(amount)} ${tokenWords(unit)}`;

/** An amount of a token on its chain, such as `50.46 USDT on Tron`. */
export const formatCrypto = (amount: number, symbol: string, chain: string): string =>
  `${formatMoney(amount, symbol)} on ${chainWords(chain)}`;

export const formatCount = (number: number): string => NUMBER.format(number);

/** A fraction of one, such as `97 %`. */
export const formatPercent = (fraction: number): string => `${Math.round(fraction * 100)} %`;

/** A time of the service (ISO 8601), in the user's time zone: `2026-03-01 10:20:31 UTC`. */
export const formatTime = (iso: string): string => TIME.format(new Date(iso));

export const formatTimeOfDay = (at: Date | number): string => TIME_OF_DAY.format(at);

/** A UTC day, such as `2026-03-01`. */
export const formatDay = (date: string): string => DAY.format(new Date(`${date}T00:00:00Z`));

/** A duration in its two largest units, such as `4 min 05 s`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${padToTwo(minutes)} min`;
  if (minutes > 0) return `${minutes} min ${padToTwo(seconds % 60)} s`;
  return `${seconds} s`;
}

const padToTwo = (number: number) => String(number).padStart(2, '0');

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
