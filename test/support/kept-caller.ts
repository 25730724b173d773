import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, Call } from '../../dev/http-client.ts';

/** The result of one attempt at a call. */
export interface Attempt {
  baseUrl: string;
  startedAt: number;
  /** Undefined while it is under way. */
  endedAt?: number;
  /** `no listener`: never accepted. `idle race`: sent on a connection that was being closed for its long silence. */
  outcome?: number | 'no listener' | 'idle race' | 'dropped';
  /** The response says that it is the last of its connection. */
  last?: boolean;
  /** Why it was dropped. */
  error?: unknown;
}

/** The longest pause between two calls of a client in steady use, unless its machine is overloaded. */
const LONG_SILENCE_MS = 500;
const EVERYBODY_REFUSES_MS = 30_000;

/**
 * Calls like an HTTP client with one kept connection behind a balancer, which uses another server when nothing listens
 * at the first. It records every attempt. `dev/kept-http-client.ts` does neither, so tests of restarts use this one.
 */
export function keptCaller(baseUrls: string[], attempts: Attempt[]): { as: (key: string) => Call } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let [baseUrl = '', ...others] = baseUrls;
  let answeredAt = 0;
  return {
    as:
      (key) =>
      async (method, path, body, headers = {}) => {
        const giveUpAt = Date.now() + EVERYBODY_REFUSES_MS;
        while (Date.now() < giveUpAt) {
          const answer = await attempt(key, method, path, body, headers);
          if (answer) return answer;
          await delay(5);
        }
        throw new Error('nobody listens any more');
      },
  };

  /** Undefined if no server has seen the call, which may then be repeated immediately. */
  async function attempt(
    key: string,
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<Answer | undefined> {
    const noted: Attempt = { baseUrl, startedAt: Date.now() };
    attempts.push(noted);
    const sent = request(baseUrl + path, {
      ...{ agent, method },
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    });
    try {
      const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
        sent.once('response', resolve).once('error', reject);
        sent.end(JSON.stringify(body));
      });
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk);
      noted.outcome = incoming.statusCode ?? 0;
      noted.last = incoming.headers.connection === 'close';
      const received = new Headers(
        Object.entries(incoming.headers).map(([name, value]) => [name, `${value}`]),
      );
      return { status: noted.outcome, body: JSON.parse(`${Buffer.concat(chunks)}`), headers: received };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') {
        noted.outcome = 'no listener';
        others.push(baseUrl);
        [baseUrl = '', ...others] = others;
        return undefined;
      }
      if (sent.reusedSocket && noted.startedAt - answeredAt > LONG_SILENCE_MS) {
        noted.outcome = 'idle race';
        return undefined;
      }
      noted.outcome = 'dropped';
      noted.error = error;
      throw error;
    } finally {
      noted.endedAt = answeredAt = Date.now();
    }
  }
}
