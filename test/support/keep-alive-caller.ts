import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, Call } from '../../dev/http-client.ts';

/** The result of one attempt at a call. */
export interface Attempt {
  baseUrl: string;
  startedAt: number;
  /** Undefined while the attempt runs. */
  endedAt?: number;
  /** `no listener`: the server refused the connection. `idle race`: the server was closing the idle connection. */
  outcome?: number | 'no listener' | 'idle race' | 'dropped';
  /** The response has the header `Connection: close`. */
  last?: boolean;
  /** The error of a dropped attempt. */
  error?: unknown;
}

/** The longest pause between two calls of a busy client, unless its machine is overloaded. */
const LONG_IDLE_MS = 500;
const GIVE_UP_AFTER_MS = 30_000;

/**
 * Calls like an HTTP client with one keep-alive connection behind a load balancer. It uses another server when none listens
 * at the first. It records every attempt. `dev/kept-http-client.ts` does neither, so tests of restarts use this one.
 */
export function keepAliveCaller(baseUrls: string[], attempts: Attempt[]): { as: (key: string) => Call } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let [baseUrl = '', ...others] = baseUrls;
  let answeredAt = 0;
  return {
    as:
      (key) =>
      async (method, path, body, headers = {}) => {
        const giveUpAt = Date.now() + GIVE_UP_AFTER_MS;
        while (Date.now() < giveUpAt) {
          const answer = await attempt(key, method, path, body, headers);
          if (answer) return answer;
          await delay(5);
        }
        throw new Error(`no server listened for ${GIVE_UP_AFTER_MS} ms`);
      },
  };

  /** Returns undefined if no server has received the call, so that it can be repeated immediately. */
  async function attempt(
    key: string,
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<Answer | undefined> {
    const current: Attempt = { baseUrl, startedAt: Date.now() };
    attempts.push(current);
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
      current.outcome = incoming.statusCode ?? 0;
      current.last = incoming.headers.connection === 'close';
      const received = new Headers(
        Object.entries(incoming.headers).map(([name, value]) => [name, `${value}`]),
      );
      return { status: current.outcome, body: JSON.parse(`${Buffer.concat(chunks)}`), headers: received };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') {
        current.outcome = 'no listener';
        others.push(baseUrl);
        [baseUrl = '', ...others] = others;
        return undefined;
      }
      if (sent.reusedSocket && current.startedAt - answeredAt > LONG_IDLE_MS) {
        current.outcome = 'idle race';
        return undefined;
      }
      current.outcome = 'dropped';
      current.error = error;
      throw error;
    } finally {
      current.endedAt = answeredAt = Date.now();
    }
  }
}
