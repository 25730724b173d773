/** The time at which every recorded run appears to start. */
const APPARENT_START = Date.parse('2026-01-05T09:00:00.000Z');
/** Seconds between two steps of the run in the examples. */
const STEP_SECONDS = 10;
/** Longer lists keep their last entries only. */
const LONGEST_LIST = 12;
const KEPT_ENTRIES = 2;

const WEBHOOK_SECRET = /^whsec_[A-Za-z0-9+/=]+$/;
const SECRET = /(?<![0-9A-Za-z])(?:rk_live_|lp_|rcpt_|rl_|rc_|pay_)?[0-9a-f]{24,}(?![0-9A-Za-z])/g;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
/** The first number of a feed cursor is a transaction id of the database. A version, such as 3.1.0, is no cursor. */
const CURSOR = /^(\d{3,})(?=\.\d+\.\d+(?:\.sent)?$)/;
const APPARENT_TRANSACTION = 1_000;
const APPARENT_DURATION_MS = 10;
const MINUTE_MS = 60_000;

export interface Disguise {
  /** Marks the next step of the run. Each step appears to take the same time. */
  startStep: () => void;
  /** Returns the value with keys, hashes, times and addresses replaced by stable values of the same form. */
  apply: (value: unknown) => unknown;
}

/** `origins`: the base URLs of this run, with the URLs that the examples show instead. */
export function createDisguise(origins: Record<string, string>): Disguise {
  const steps: number[] = [];
  const times = new Map<string, string>();
  const secrets = new Map<string, string>();
  let firstTransaction: number | undefined;

  /** Keeps the distances between transaction ids, and so their order. */
  const apparentTransaction = (xid: string): string => {
    firstTransaction ??= Number(xid);
    return String(APPARENT_TRANSACTION + Number(xid) - firstTransaction);
  };

  const textOf = (text: string): string => {
    // The body of a webhook.
    if (text.startsWith('{"')) return JSON.stringify(apply(JSON.parse(text)));
    if (TIME.test(text)) return remember(times, text, () => apparentTime(Date.parse(text), steps));
    if (WEBHOOK_SECRET.test(text)) return 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
    if (DAY.test(text)) return apparentDay(text, steps[0] ?? Date.now());
    const withOrigins = Object.entries(origins).reduce(
      (all, [real, shown]) => all.replaceAll(real, shown),
      text,
    );
    return withOrigins
      .replace(CURSOR, apparentTransaction)
      .replace(SECRET, (secret) => remember(secrets, secret, () => secretLike(secret, secrets)));
  };
  const apply = (value: unknown): unknown => {
    if (typeof value === 'string') return textOf(value);
    if (Array.isArray(value))
      return (value.length > LONGEST_LIST ? value.slice(-KEPT_ENTRIES) : value).map(apply);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      // A duration on this machine is of no use to a reader.
      Object.entries(value).map(([name, field]) => [
        name,
        name === 'duration_ms' ? APPARENT_DURATION_MS : apply(field),
      ]),
    );
  };
  return { startStep: () => void steps.push(Date.now()), apply };
}

/** A time within the run becomes the start of its step. A later time keeps its distance from the present step. */
function apparentTime(at: number, steps: number[]): string {
  const step = Math.max(
    0,
    steps.findLastIndex((start) => start <= at),
  );
  const start = steps[step] ?? at;
  const ended = step === steps.length - 1 || at < start;
  const distance = ended ? Math.round((at - start) / 1_000 / STEP_SECONDS) * STEP_SECONDS : 0;
  const apparent = APPARENT_START + (step * STEP_SECONDS + distance) * 1_000;
  // A whole minute is the start of a period.
  return new Date(at % MINUTE_MS === 0 ? apparent - (apparent % MINUTE_MS) : apparent).toISOString();
}

function apparentDay(day: string, start: number): string {
  const today = Date.parse(new Date(start).toISOString().slice(0, 10));
  const apparentToday = Date.parse(new Date(APPARENT_START).toISOString().slice(0, 10));
  return new Date(apparentToday + Date.parse(day) - today).toISOString().slice(0, 10);
}

/** Zeros and a number, with the prefix and the length of the secret. */
function secretLike(secret: string, earlier: Map<string, string>): string {
  const prefix = /^[a-z_]*_/.exec(secret)?.[0] ?? '';
  const sameKind = [...earlier.keys()].filter(
    (one) => one.startsWith(prefix) && one.length === secret.length,
  );
  return prefix + String(sameKind.length + 1).padStart(secret.length - prefix.length, '0');
}

function remember(known: Map<string, string>, key: string, make: () => string): string {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}
