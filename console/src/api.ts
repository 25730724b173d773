import { signal } from '@preact/signals';

/** A request that the service refused, with the service's message. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  /** From `X-Error-Code`; empty if a proxy answered instead of the service. */
  readonly code: string;
  /** The faults of each field, if the request failed validation. */
  readonly fields: Readonly<Record<string, string[]>>;
  /** Seconds to wait before the same call can succeed. */
  readonly retryAfter: number | null;
  /** Finds the request's line in the service's log. */
  readonly requestId: string | null;
  /** The response's JSON. A few refusals contain more than a message. */
  readonly body: unknown;

  constructor(response: Response, body: unknown) {
    super(readMessage(body) ?? `${response.status} ${response.statusText}`.trim());
    this.status = response.status;
    this.code = response.headers.get('x-error-code') ?? '';
    this.fields = readFieldErrors(body);
    this.retryAfter = Number(response.headers.get('retry-after')) || null;
    this.requestId = response.headers.get('x-request-id');
    this.body = body;
  }
}

/** The service keeps the request until another admin approves it (`APPROVALS=on`). */
export class Proposed extends Error {
  override name = 'Proposed';
  constructor(id: number) {
    super(`Not carried out yet: another admin must approve proposal ${id} within 24 hours.`);
  }
}

/** The service did not answer. */
export class UnreachableError extends Error {
  override name = 'UnreachableError';
  constructor() {
    super('Corridor cannot be reached');
  }
}

/** Whether the last request reached the service. Also false while the browser reports that it is offline. */
export const isReachable = signal(navigator.onLine);
addEventListener('offline', () => {
  isReachable.value = false;
});
addEventListener('online', () => {
  isReachable.value = true;
});

/** The service's clock minus this browser's, in milliseconds. */
export const clockOffset = signal(0);
/** The `Date` header has whole seconds, so a smaller difference is noise. */
const CLOCK_TOLERANCE_MS = 2_000;

export interface Call {
  /** Signs in with this key. All other calls have the session’s cookie. */
  key?: string;
  /** A `FormData` is sent as it is, any other object as JSON. */
  body?: object | FormData;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/**
 * Calls the API. Throws an `ApiError` if the service refuses, an `UnreachableError` if it does not answer, and `Proposed` if
 * another admin has to approve the request.
 */
export async function call<T>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  request: Call = {},
): Promise<T> {
  const response = await send(method, path, request);
  const body = await readBody(response);
  if (!response.ok) throw new ApiError(response, body);
  const proposal = response.status === 202 && (body as { approval?: { id: number } } | undefined)?.approval;
  if (proposal) throw new Proposed(proposal.id);
  return body as T;
}

/** Downloads a file that only the signed-in user may read. */
export async function download(path: string): Promise<{ content: Blob; name: string }> {
  const response = await send('GET', path, {});
  if (!response.ok) throw new ApiError(response, await readBody(response));
  const [, name = 'file'] =
    /filename="([\w.-]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? [];
  return { content: await response.blob(), name };
}

/** Returns a new idempotency key. `crypto.randomUUID` needs https; this works over http too. */
export const newIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

async function send(method: string, path: string, { key, body, headers, signal }: Call): Promise<Response> {
  try {
    const response = await fetch(path, {
      method,
      credentials: 'same-origin',
      headers: {
        ...(key ? { authorization: `Bearer ${key}` } : {}),
        ...(body && !(body instanceof FormData) ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(body ? { body: body instanceof FormData ? body : JSON.stringify(body) } : {}),
      ...(signal ? { signal } : {}),
    });
    // A response can still arrive after the browser has gone offline.
    isReachable.value = navigator.onLine;
    updateClockOffset(response);
    return response;
  } catch (error) {
    if (signal?.aborted) throw error;
    isReachable.value = false;
    throw new UnreachableError();
  }
}

function updateClockOffset(response: Response): void {
  const sent = Date.parse(response.headers.get('date') ?? '');
  if (Number.isNaN(sent)) return;
  const offset = sent - Date.now();
  clockOffset.value = Math.abs(offset) < CLOCK_TOLERANCE_MS ? 0 : offset;
}

/** Returns the JSON body, or undefined for any other content, such as a proxy's error page. */
async function readBody(response: Response): Promise<unknown> {
  if (!response.headers.get('content-type')?.includes('json')) return undefined;
  try {
    return await response.json();
  } catch {
    throw new UnreachableError();
  }
}

function readMessage(body: unknown): string | undefined {
  const { error, message } = (body ?? {}) as { error?: unknown; message?: unknown };
  if (typeof error === 'string') return error;
  const { formErrors = [] } = (error ?? {}) as { formErrors?: string[] };
  return formErrors.length > 0 ? formErrors.join('; ') : typeof message === 'string' ? message : undefined;
}

function readFieldErrors(body: unknown): Record<string, string[]> {
  const { error } = (body ?? {}) as { error?: { fieldErrors?: Record<string, string[]> } };
  return (typeof error === 'object' && error?.fieldErrors) || {};
}
