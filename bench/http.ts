import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

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

const SERVED_WITHIN_MS = 60_000;
const RETRY_AFTER_MS = 1_000;

/** What came of a call that was made as often as it took, timed from the first. */
export interface PatientReply extends Reply {
  /** Whether it took more than one: what comes of the last may differ from what came of the first, unheard. */
  repeated: boolean;
}

/** Repeats what is answered 503, for a minute at most: nobody knows what became of it. */
export async function patiently(call: () => Promise<Reply>): Promise<PatientReply> {
  const began = performance.now();
  for (let repeated = false; ; repeated = true) {
    const reply = await call();
    const ms = performance.now() - began;
    if (reply.status !== 503 || ms > SERVED_WITHIN_MS)
      return { ...reply, ms: repeated ? ms : reply.ms, repeated };
    await delay(RETRY_AFTER_MS);
  }
}
