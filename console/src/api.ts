import { signal } from '@preact/signals';

/** What the service refused, in its own words. Contract: "Errors". */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  /** From `X-Error-Code`; empty where something in between has answered. */
  readonly code: string;
  /** What is wrong with each field, where the request's form was. */
  readonly fields: Readonly<Record<string, string[]>>;
  /** Seconds until the same call may succeed. */
  readonly retryAfter: number | null;
  /** Finds the request's line in the service's log. */
  readonly requestId: string | null;
  /** The answer's JSON: a few refusals say more than why. */
  readonly body: unknown;

  constructor(response: Response, body: unknown) {
    super(wordsOf(body) ?? `${response.status} ${response.statusText}`.trim());
    this.status = response.status;
    this.code = response.headers.get('x-error-code') ?? '';
    this.fields = fieldErrorsOf(body);
    this.retryAfter = Number(response.headers.get('retry-after')) || null;
    this.requestId = response.headers.get('x-request-id');
    this.body = body;
  }
}

/** The service gave no answer at all. */
export class Unreachable extends Error {
  override name = 'Unreachable';
  constructor() {
    super('Corridor cannot be reached');
  }
}

/** Whether the last request found the service; false as well while the browser says that it has no network. */
export const reachable = signal(navigator.onLine);
addEventListener('offline', () => {
  reachable.value = false;
});
addEventListener('online', () => {
  reachable.value = true;
});

/** The service's clock minus this browser's, in milliseconds. */
export const clockOffset = signal(0);
/** The `Date` header has no more than seconds: what is less than that is no difference. */
const CLOCK_GRAIN_MS = 2_000;

export interface Call {
  key?: string;
  /** Sent as JSON; a form as it is. */
  body?: object | FormData;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Calls the API. Throws an `ApiError` for what is refused, `Unreachable` where there is no answer. */
export async function call<T>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  request: Call = {},
): Promise<T> {
  const response = await send(method, path, request);
  const body = await readBody(response);
  if (!response.ok) throw new ApiError(response, body);
  return body as T;
}

/** A file that only the key's holder may have. */
export async function download(path: string, key: string): Promise<{ content: Blob; name: string }> {
  const response = await send('GET', path, { key });
  if (!response.ok) throw new ApiError(response, await readBody(response));
  const [, name = 'file'] =
    /filename="([\w.-]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? [];
  return { content: await response.blob(), name };
}

/** A key that makes a repeat of the same request safe. Also where the page is not served over https. */
export const newIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

async function send(method: string, path: string, { key, body, headers, signal }: Call): Promise<Response> {
  try {
    const response = await fetch(path, {
      method,
      credentials: 'omit',
      headers: {
        ...(key ? { authorization: `Bearer ${key}` } : {}),
        ...(body && !(body instanceof FormData) ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(body ? { body: body instanceof FormData ? body : JSON.stringify(body) } : {}),
      ...(signal ? { signal } : {}),
    });
    reachable.value = true;
    readClock(response);
    return response;
  } catch (error) {
    if (signal?.aborted) throw error;
    reachable.value = false;
    throw new Unreachable();
  }
}

function readClock(response: Response): void {
  const sent = Date.parse(response.headers.get('date') ?? '');
  if (Number.isNaN(sent)) return;
  const offset = sent - Date.now();
  clockOffset.value = Math.abs(offset) < CLOCK_GRAIN_MS ? 0 : offset;
}

/** JSON, or nothing where the answer is none: a proxy's page is not the service's word. */
async function readBody(response: Response): Promise<unknown> {
  if (!response.headers.get('content-type')?.includes('json')) return undefined;
  try {
    return await response.json();
  } catch {
    throw new Unreachable();
  }
}

function wordsOf(body: unknown): string | undefined {
  const { error, message } = (body ?? {}) as { error?: unknown; message?: unknown };
  if (typeof error === 'string') return error;
  const { formErrors = [] } = (error ?? {}) as { formErrors?: string[] };
  return formErrors.length > 0 ? formErrors.join('; ') : typeof message === 'string' ? message : undefined;
}

function fieldErrorsOf(body: unknown): Record<string, string[]> {
  const { error } = (body ?? {}) as { error?: { fieldErrors?: Record<string, string[]> } };
  return (typeof error === 'object' && error?.fieldErrors) || {};
}
