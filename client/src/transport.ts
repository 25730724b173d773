import { CorridorError } from './errors.ts';

export interface ConnectionOptions {
  /** The service's address, such as `https://pay.example`. */
  baseUrl: string;
  /** The timeout of one attempt, in milliseconds. Default: 10,000. */
  timeoutMs?: number;
  /** The number of attempts for one call, including the first. Default: 4. */
  attempts?: number;
  /** Replaces the global `fetch`, for tests or proxies. */
  fetch?: typeof fetch;
}

export interface TransportOptions extends ConnectionOptions {
  /** The API key, sent as a bearer token. A missing or empty key, such as an unset variable, throws a `TypeError`. */
  key: string | undefined;
}

export interface CallOptions {
  body?: unknown;
  /** Sent instead of a JSON body. */
  form?: FormData;
  /** Replaces the client's timeout for this call. */
  timeoutMs?: number;
  /** Sent as the header `Idempotency-Key`. */
  idempotencyKey?: string;
  signal?: AbortSignal | undefined;
}

/** Calls the service and returns the JSON of a 2xx response. Throws a `CorridorError` for any other. */
export type Transport = <Answer>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  options?: CallOptions,
) => Promise<Answer>;

/** If the service asks for a longer pause, the call fails, and the caller decides when to repeat it. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [250, 10_000];
/** Too many requests, or a service that is briefly down. Any other refusal would be the same on a retry. */
const TRANSIENT = [429, 502, 503, 504];

/** Whether the same call can succeed on a retry. */
export const isTransient = (error: unknown): error is CorridorError =>
  error instanceof CorridorError && (error.status === null || TRANSIENT.includes(error.status));

/**
 * Returns a transport that retries transient failures. That is safe for nearly every call: a repeated step returns the
 * same result, and payments and withdrawals carry an Idempotency-Key. Calls that must not be repeated use a transport with
 * one attempt. Throws a `TypeError` if `baseUrl` is not an http or https URL.
 */
export function createTransport(options: ConnectionOptions & { key?: string | undefined }): Transport {
  const { key, attempts = 4, fetch: send = fetch } = options;
  const baseUrl = requireBaseUrl(options.baseUrl);
  return async (
    method,
    path,
    { body, form, idempotencyKey, signal, timeoutMs = options.timeoutMs ?? 10_000 } = {},
  ) => {
    const request: RequestInit = {
      method,
      // Throws here for a value that no header can have, such as an idempotency key with a line break: nothing has been sent.
      headers: new Headers({
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      }),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(form === undefined ? {} : { body: form }),
    };
    for (let attempt = 1; ; attempt++) {
      const result = await attemptOnce();
      if (!(result instanceof CorridorError)) return result;
      const pauseMs = computePauseMs(attempt, result.retryAfter);
      const isLast = attempt >= attempts || pauseMs > LONGEST_PAUSE_MS || signal?.aborted;
      if (!isTransient(result) || isLast) throw result;
      await pause(pauseMs, signal);
    }

    async function attemptOnce() {
      const timeout = AbortSignal.timeout(timeoutMs);
      try {
        const response = await send(baseUrl + path, {
          ...request,
          signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        });
        return readResponse(response, await response.text(), { baseUrl, idempotencyKey });
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        const refusal = {
          ...{ status: null, code: 'no_answer', requestId: null, fields: {}, retryAfter: null },
          idempotencyKey: idempotencyKey ?? null,
        };
        return new CorridorError(`No answer from ${baseUrl}: ${describeFailure(error)}`, refusal, {
          cause: error,
        });
      }
    }
  };
}

function requireBaseUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  // Errors contain the address.
  if (url?.username || url?.password) throw new TypeError('baseUrl must not contain a user or a password');
  if (url && /^https?:$/.test(url.protocol)) return trimSlashes(baseUrl);
  throw new TypeError(`baseUrl is ${JSON.stringify(baseUrl)}, but must be a URL such as https://pay.example`);
}

/** Returns the key without the spaces and line breaks around it, as a file with a key has them. */
export function requireKey(key: string | undefined): string {
  const trimmed = key?.trim();
  if (!trimmed)
    throw new TypeError(
      'There is no key. Check that the setting with the key exists and that your program reads it',
    );
  // `fetch` would refuse such a key with an error that contains it.
  if (!/^[\x21-\x7e]+$/.test(trimmed))
    throw new TypeError(
      'The key has a space or another character that no key has. Check the setting with it',
    );
  return trimmed;
}

/** Returns the message of a failed `fetch` with its reasons. A host with several addresses has one reason for each. */
function describeFailure(error: unknown): string {
  const { message, cause } = error as { message: string; cause?: Partial<AggregateError> };
  const causes: (Partial<Error> | undefined)[] = cause?.errors ?? [cause];
  const reasons = causes.flatMap((reason) => reason?.message || []);
  return reasons.length > 0 ? `${message}: ${reasons.join('; ')}` : message;
}

/** Removes trailing slashes, so that paths can be appended. */
export const trimSlashes = (baseUrl: string): string => baseUrl.replace(/\/+$/, '');

/** Returns the pause that the service asked for. Otherwise the pause doubles each time, with jitter. */
const computePauseMs = (attempt: number, retryAfter: number | null): number =>
  retryAfter === null
    ? Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2)
    : retryAfter * 1_000;

export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

/** Returns the JSON of a 2xx response, or the error that describes any other response. */
function readResponse(response: Response, text: string, call: Call) {
  if (!response.ok) return buildRefusal(response, parseJson(text) ?? {}, call);
  return (
    parseJson(text) ??
    buildRefusal(
      response,
      { message: `HTTP ${response.status} without JSON: is Corridor at ${call.baseUrl}, or another server?` },
      call,
    )
  );
}

interface Call {
  baseUrl: string;
  idempotencyKey: string | undefined;
}

function buildRefusal(
  { status, headers }: Response,
  { error, message }: ErrorBody,
  { idempotencyKey }: Call,
): CorridorError {
  const details = typeof error === 'object' && error !== null ? (error as Details) : undefined;
  const text = typeof error === 'string' ? error : message;
  const fields = Object.entries(details?.fieldErrors ?? {});
  const faultyFields = fields.map(([name, faults]) => `${name}: ${faults.join(', ')}`);
  const summary = [text ?? `HTTP ${status}`, ...(details?.formErrors ?? []), ...faultyFields].join('; ');
  const retryAfter = Number(headers.get('retry-after') || Number.NaN);
  return new CorridorError(summary, {
    status,
    code: headers.get('x-error-code') ?? 'unknown',
    requestId: headers.get('x-request-id'),
    fields: Object.fromEntries(fields),
    retryAfter: Number.isFinite(retryAfter) && retryAfter >= 0 ? retryAfter : null,
    idempotencyKey: idempotencyKey ?? null,
  });
}

interface ErrorBody {
  error?: unknown;
  message?: string;
}

interface Details {
  fieldErrors?: Record<string, string[]>;
  formErrors?: string[];
}

/** Returns null for text that is not JSON, such as a proxy's error page. */
function parseJson(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
