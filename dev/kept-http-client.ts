import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** The answer to a call, and its duration. */
export interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: each alternative answers differently; the subjects know its fields
  body: any;
  /** Milliseconds from the call to the last byte of the answer. */
  ms: number;
}

export interface HttpClient {
  call: (method: 'GET' | 'POST', path: string, key?: string, body?: unknown) => Promise<Reply>;
  close: () => void;
}

/**
 * Calls one local server over `node:http` on kept connections. The bench uses it in place of `createCaller`, because it
 * costs less CPU. Client and measured server share the CPU.
 */
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
              const received = Buffer.concat(chunks).toString();
              resolve({
                status: response.statusCode ?? 0,
                body: received === '' ? undefined : JSON.parse(received),
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

const RETRY_FOR_MS = 60_000;
const RETRY_AFTER_MS = 1_000;

/** The last answer to a call that may have been repeated, timed from the first attempt. */
export interface RetriedReply extends Reply {
  /** True after more than one attempt: an earlier attempt may have succeeded although its answer was 503. */
  repeated: boolean;
}

/** Repeats a call that gets a 503, for at most a minute. After a 503 it is unknown whether the call took effect. */
export async function callWithRetries(call: () => Promise<Reply>): Promise<RetriedReply> {
  const began = performance.now();
  for (let repeated = false; ; repeated = true) {
    const reply = await call();
    const ms = performance.now() - began;
    if (reply.status !== 503 || ms > RETRY_FOR_MS)
      return { ...reply, ms: repeated ? ms : reply.ms, repeated };
    await delay(RETRY_AFTER_MS);
  }
}
