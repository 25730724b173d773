/** An answer of the API: its status and its JSON, or the bytes of a file as a Buffer. */
export interface Answer {
  status: number;
  // The demo and the tests read answers as a stranger would: by the contract, not by our types.
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

export const caller =
  (baseUrl: string, key?: string): Call =>
  async (method, path, body, headers = {}) => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        ...(key ? { authorization: `Bearer ${key}` } : {}),
        // A form brings its own type along, with the boundary in it.
        ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: asSent(body) }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const isJson = response.headers.get('content-type')?.includes('json');
    const answered = isJson || bytes.length === 0 ? parsed(bytes.toString()) : bytes;
    return { status: response.status, body: answered, headers: response.headers };
  };

const asSent = (body: unknown) =>
  typeof body === 'string' || body instanceof FormData || body instanceof Uint8Array
    ? (body as string | FormData | Uint8Array<ArrayBuffer>)
    : JSON.stringify(body);

const parsed = (text: string) => (text ? JSON.parse(text) : undefined);

/** The body of an answer that must have this status. */
export async function expectStatus(status: number, answer: Promise<Answer>): Promise<Answer['body']> {
  const { status: got, body } = await answer;
  if (got !== status) throw new Error(`expected ${status}, the API answered ${got}: ${JSON.stringify(body)}`);
  return body;
}
