import { setTimeout as delay } from 'node:timers/promises';
import { createCaller as createHttpCaller } from '../../dev/http-client.ts';
import type { Random } from '../../test/support/random.ts';

/** One attempt at a call, as its caller saw it. */
export interface CallAttempt {
  /** The number of the call. A call is one intention of a caller, with one or more attempts. */
  call: number;
  /** The trigger of an order's event, or `pay`, `withdraw` and so on. */
  trigger: string;
  /** As in an event: `agent:3`, `lp:7`, `admin`. */
  actor: string;
  orderId: number | null;
  /** A further argument: an idempotency key, a hash, an outcome. */
  detail: string | null;
  startedAt: Date;
  endedAt: Date;
  /** Null: there was no response. */
  status: number | null;
  /** The response's JSON, or its bytes if it has another content type. */
  // biome-ignore lint/suspicious/noExplicitAny: JSON of the API
  body: any;
}

export interface CallRequest {
  trigger: string;
  actor: string;
  key: string;
  orderId?: number;
  detail?: string;
  method?: string;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** All attempts of all callers, for the check at the end. */
export type CallLog = CallAttempt[];

const RESPONSE_TIMEOUT_MS = 6_000;
const GIVE_UP_AFTER_MS = 60_000;

/** Resolves with a response other than 503, or undefined when the caller gave up. */
export type Caller = (request: CallRequest, random: Random) => Promise<CallAttempt | undefined>;

/**
 * Calls either API until it responds, as the contract allows: it repeats the call after a 503 and without a response.
 * Sometimes it sends the call twice at the same time, like a client with a short timeout.
 */
export function createCaller(baseUrls: string[], log: CallLog): Caller {
  let calls = 0;
  return async (request, random) => {
    const call = ++calls;
    const giveUpAt = Date.now() + GIVE_UP_AFTER_MS;
    const repeatsEarly = random.chance(0.08);
    while (Date.now() < giveUpAt) {
      const duplicate = repeatsEarly ? send(call, request, random.pick(baseUrls)) : undefined;
      const attempt = await send(call, request, random.pick(baseUrls));
      await duplicate;
      if (attempt.status !== null && attempt.status !== 503) {
        // Repeats a successful call, like a client that lost the response.
        if (attempt.status < 300 && random.chance(0.08)) await send(call, request, random.pick(baseUrls));
        return attempt;
      }
      await delay(random.integer(200, 1_500));
    }
    return undefined;
  };

  async function send(call: number, request: CallRequest, baseUrl: string): Promise<CallAttempt> {
    const {
      trigger,
      actor,
      key,
      orderId = null,
      detail = null,
      method = 'POST',
      path,
      headers = {},
    } = request;
    const startedAt = new Date();
    const http = createHttpCaller(baseUrl, key, RESPONSE_TIMEOUT_MS);
    const { status, body } = await http(method, path, request.body, headers).catch((error) => {
      // A complete response that is not valid JSON must fail the run.
      if (error instanceof SyntaxError) throw error;
      // The connection was refused or cut off, or the response was too late.
      return { status: null, body: null };
    });
    const endedAt = new Date();
    const attempt: CallAttempt = { call, trigger, actor, orderId, detail, startedAt, endedAt, status, body };
    log.push(attempt);
    return attempt;
  }
}
