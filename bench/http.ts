import { Agent, request } from 'node:http';

/** What came of a call, and what it took. */
export interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: contestants differ in what they answer; the subjects know
  body: any;
  /** Milliseconds from the call to the last byte of the answer. */
  ms: number;
}

export interface HttpClient {
  call: (method: 'GET' | 'POST', path: string, key?: string, body?: unknown) => Promise<Reply>;
  close: () => void;
}

/** The plainest client that Node has, on connections that are kept: what it costs, the contestants do not get. */
export function createHttpClient(port: number): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  return {
    close: () => agent.destroy(),
    call: (method, path, key, body) =>
      new Promise((resolve, reject) => {
        const began = performance.now();
        const text = body === undefined ? undefined : JSON.stringify(body);
        const sent = request(
          {
            ...{ host: '127.0.0.1', port, method, path, agent },
            headers: {
              ...(key ? { authorization: `Bearer ${key}` } : {}),
              ...(text === undefined
                ? {}
                : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
            },
          },
          (response) => {
            const chunks: Buffer[] = [];
            response.on('data', (chunk) => chunks.push(chunk));
            response.on('error', reject);
            response.on('end', () => {
              const ms = performance.now() - began;
              const said = Buffer.concat(chunks).toString();
              resolve({
                status: response.statusCode ?? 0,
                body: said === '' ? undefined : JSON.parse(said),
                ms,
              });
            });
          },
        );
        sent.on('error', reject);
        sent.end(text);
      }),
  };
}
