/** An answer of the API: its status and its JSON. */
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
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text ? JSON.parse(text) : undefined, headers: response.headers };
  };

/** The body of an answer that must have this status. */
export async function expectStatus(status: number, answer: Promise<Answer>): Promise<Answer['body']> {
  const { status: got, body } = await answer;
  if (got !== status) throw new Error(`expected ${status}, the API answered ${got}: ${JSON.stringify(body)}`);
  return body;
}
