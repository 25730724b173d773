const USD = new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD' });
const PLAIN = new Intl.NumberFormat(undefined, { maximumFractionDigits: 6 });
const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const HOUR = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const DAY = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' });

export const usd = (amount: number): string => USD.format(amount);

/** An amount in a currency or token, such as `6,475 KES`. */
export const money = (amount: number, unit: string): string =>
  `${PLAIN.format(amount)} ${unit.toUpperCase()}`;

export const count = (number: number): string => PLAIN.format(number);

/** A share of one, such as `97 %`. */
export const share = (part: number): string => `${Math.round(part * 100)} %`;

/** A time of the service (ISO 8601), in the reader's own time. */
export const time = (iso: string): string => TIME.format(new Date(iso));

/** Only the time of day. */
export const timeOfDay = (at: number): string => HOUR.format(at);

/** A day of the service, `2026-03-01`. */
export const day = (date: string): string => DAY.format(new Date(`${date}T00:00:00Z`));

/** A stretch of time in its two largest units, such as `4 min 05 s`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${padded(minutes)} min`;
  if (minutes > 0) return `${minutes} min ${padded(seconds % 60)} s`;
  return `${seconds} s`;
}

const padded = (number: number) => String(number).padStart(2, '0');

/** A name of the service for people: `fiat_sent` is `fiat sent`. */
export const words = (name: string): string => name.replace(/_/g, ' ');
