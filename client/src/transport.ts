import { CorridorError } from './errors.ts';

export interface ConnectionOptions {
  /** Where the service is: `https://pay.example`. */
  baseUrl: string;
  /** Of one attempt, in milliseconds (10 000). */
  timeoutMs?: number;
  /** Attempts of one call, the first included (4). */
  attempts?: number;
  /** For tests, and for proxies. */
  fetch?: typeof fetch;
}

export interface TransportOptions extends ConnectionOptions {
  /** The key that is sent as a bearer. An empty or missing one, as of a setting that is not there, is a `TypeError` at once. */
  key: string | undefined;
}

export interface CallOptions {
  body?: unknown;
  /** In place of a body. */
  form?: FormData;
  /** In place of the usual one. */
  timeoutMs?: number;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

/** Calls the service; gives the JSON of a 2xx. Throws a `CorridorError` for everything else. */
export type Transport = <Answer>(
  method: 'GET' | 'POST',
  path: string,
  options?: CallOptions,
) => Promise<Answer>;

const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [250, 10_000];
/** Too many requests, and what is away for a moment. Nothing else gets better by being asked again. */
const PASSING = [429, 502, 503, 504];

/** Whether the same call may succeed a moment later. */
export const isPassing = (error: unknown): error is CorridorError =>
  error instanceof CorridorError && (error.status === null || PASSING.includes(error.status));

/**
 * A call is tried again where that is safe: nearly every call of this service may be repeated, since a step that has been
 * made answers the same once more, and payments and withdrawals carry an Idempotency-Key. What may not is called through
 * a transport of one attempt. Throws a `TypeError` for a `baseUrl` that is none.
 */
export function createTransport(options: ConnectionOptions & { key?: string | undefined }): Transport {
  const { key, attempts = 4, fetch: send = fetch } = options;
  const baseUrl = requireBaseUrl(options.baseUrl);
  return async (
    method,
    path,
    { body, form, headers, signal, timeoutMs = options.timeoutMs ?? 10_000 } = {},
  ) => {
    const request: RequestInit = {
      method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(form === undefined ? {} : { body: form }),
    };
    for (let attempt = 1; ; attempt++) {
      const failure = await once();
      if (!(failure instanceof CorridorError)) return failure;
      if (!isPassing(failure) || attempt >= attempts || signal?.aborted) throw failure;
      await pause(pauseMs(attempt, failure.retryAfter), signal);
    }

    async function once() {
      const limit = AbortSignal.timeout(timeoutMs);
      try {
        const response = await send(baseUrl + path, {
          ...request,
          signal: signal ? AbortSignal.any([signal, limit]) : limit,
        });
        return answerOf(response, await response.text(), baseUrl);
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        const nothing = { status: null, code: 'no_answer', requestId: null, fields: {}, retryAfter: null };
        return new CorridorError(`No answer from ${baseUrl}: ${inWords(error)}`, nothing, { cause: error });
      }
    }
  };
}

function requireBaseUrl(baseUrl: string): string {
  if (URL.canParse(baseUrl) && /^https?:$/.test(new URL(baseUrl).protocol)) return trimmed(baseUrl);
  throw new TypeError(`baseUrl is ${JSON.stringify(baseUrl)}, and must be a URL such as https://pay.example`);
}

export function requireKey(key: string | undefined): string {
  if (key?.trim()) return key;
  throw new TypeError('There is no key: is the setting that holds it there, and read?');
}

/** What `fetch` says itself is that it failed; why, it says in the cause, and of an address with several faces in each one's. */
function inWords(error: unknown): string {
  const { message, cause } = error as { message: string; cause?: Partial<AggregateError> };
  const causes: (Partial<Error> | undefined)[] = cause?.errors ?? [cause];
  const reasons = causes.flatMap((one) => one?.message || []);
  return reasons.length > 0 ? `${message}: ${reasons.join('; ')}` : message;
}

/** Paths are put behind it. */
export const trimmed = (baseUrl: string): string => baseUrl.replace(/\/+$/, '');

/** As long as the service asks for, else twice as long each time, and not all callers at the same moment. */
const pauseMs = (attempt: number, retryAfter: number | null): number =>
  retryAfter === null
    ? Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2)
    : retryAfter * 1_000;

export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}

/** The JSON of a 2xx, as far as it is any, and else why not. */
function answerOf(response: Response, text: string, baseUrl: string) {
  if (!response.ok) return refused(response, parsed(text) ?? {});
  return (
    parsed(text) ??
    refused(response, {
      message: `HTTP ${response.status} without JSON: is Corridor at ${baseUrl}, or something else?`,
    })
  );
}

function refused({ status, headers }: Response, { error, message }: Said): CorridorError {
  const details = typeof error === 'object' && error !== null ? (error as Details) : undefined;
  const said = typeof error === 'string' ? error : message;
  const fields = Object.entries(details?.fieldErrors ?? {});
  const named = fields.map(([name, faults]) => `${name}: ${faults.join(', ')}`);
  const words = [said ?? `HTTP ${status}`, ...(details?.formErrors ?? []), ...named].join('; ');
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  return new CorridorError(words, {
    status,
    code: headers.get('x-error-code') ?? 'unknown',
    requestId: headers.get('x-request-id'),
    fields: Object.fromEntries(fields),
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : null,
  });
}

interface Said {
  error?: unknown;
  message?: string;
}

interface Details {
  fieldErrors?: Record<string, string[]>;
  formErrors?: string[];
}

/** What stands between here and the service may answer in its own words, which are no JSON: null. */
function parsed(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
