import { setTimeout as delay } from 'node:timers/promises';

/** An answer of the API: its status and its JSON, or a file as a Buffer. */
export interface Answer {
  status: number;
  // The demo and the tests read answers as an integrator does, by the contract and not by our types.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  body: any;
  headers: Headers;
}

/** Calls the API at a base address with a bearer key. */
export type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>;

/** `timeoutMs`: a call that takes longer rejects. */
export const createCaller =
  (baseUrl: string, key?: string, timeoutMs?: number): Call =>
  async (method, path, body, headers = {}) => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        ...(key ? { authorization: `Bearer ${key}` } : {}),
        // `fetch` sets the type of a form itself, with the boundary in it.
        ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: encodeBody(body) }),
      ...(timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(timeoutMs) }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const isJson = response.headers.get('content-type')?.includes('json');
    const answer = isJson || bytes.length === 0 ? parseJson(bytes.toString()) : bytes;
    return { status: response.status, body: answer, headers: response.headers };
  };

/** The same call, which waits as long as a 429 asks, and tries again. `onWait` receives the seconds of each wait. */
export const waitingOutLimits =
  (call: Call, onWait: (seconds: number) => void): Call =>
  async (...args) => {
    for (;;) {
      const answer = await call(...args);
      const seconds = Number(answer.headers.get('retry-after'));
      if (answer.status !== 429 || !(seconds > 0)) return answer;
      onWait(seconds);
      await delay(seconds * 1_000);
    }
  };

/** Calls with different keys at one base address. */
export interface Callers {
  /** Calls without a key. */
  anyone: Call;
  admin: Call;
  as: (key: string) => Call;
}

/** `onWait`: the calls wait out limits, and report it there. Without it a 429 is an answer like any other. */
export function createCallers(
  baseUrl: string,
  adminKey: string,
  onWait?: (seconds: number) => void,
): Callers {
  const as = (key?: string) => {
    const call = createCaller(baseUrl, key);
    return onWait ? waitingOutLimits(call, onWait) : call;
  };
  return { anyone: as(), admin: as(adminKey), as };
}

const encodeBody = (body: unknown) =>
  typeof body === 'string' || body instanceof FormData || body instanceof Uint8Array
    ? (body as string | FormData | Uint8Array<ArrayBuffer>)
    : JSON.stringify(body);

const parseJson = (text: string) => (text ? JSON.parse(text) : undefined);

/** Returns the body of an answer. Throws if the answer has another status. */
export async function expectStatus(status: number, answer: Promise<Answer>): Promise<Answer['body']> {
  const { status: got, body } = await answer;
  if (got !== status) throw new Error(`expected ${status}, the API answered ${got}: ${JSON.stringify(body)}`);
  return body;
}
