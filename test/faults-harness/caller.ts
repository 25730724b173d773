import { setTimeout as delay } from 'node:timers/promises';
import { createCaller as createHttpCaller } from '../../dev/http-client.ts';
import type { Random } from '../support/random.ts';

/** One attempt at a call, as its caller saw it. */
export interface Saw {
  /** Names the call: all its attempts are of one caller, who wants one thing. */
  call: number;
  /** The trigger of an order's event, or `pay`, `withdraw` and so on. */
  trigger: string;
  /** As an event names it: `agent:3`, `lp:7`, `admin`. */
  actor: string;
  orderId: number | null;
  /** A further argument: a key, a hash, an outcome. */
  detail: string | null;
  startedAt: Date;
  endedAt: Date;
  /** Null: no answer came. */
  status: number | null;
  /** The answer's JSON, or its bytes if it has another content type. */
  // biome-ignore lint/suspicious/noExplicitAny: read by the contract, as a stranger would
  body: any;
}

export interface Ask {
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

/** What the callers saw, for the check at the end. */
export type SawLog = Saw[];

const ANSWER_WITHIN_MS = 6_000;
const GIVE_UP_AFTER_MS = 60_000;

/** Resolves with an answer other than 503, or undefined when the caller gave up. */
export type Caller = (ask: Ask, random: Random) => Promise<Saw | undefined>;

/**
 * Calls one API or another until it is answered, as the contract allows: the same call again after a 503, and after
 * no answer at all. Sometimes it makes the call twice at the same time, like an impatient client.
 */
export function createCaller(baseUrls: string[], log: SawLog): Caller {
  let calls = 0;
  return async (ask, random) => {
    const call = ++calls;
    const giveUpAt = Date.now() + GIVE_UP_AFTER_MS;
    const repeatsEarly = random.chance(0.08);
    while (Date.now() < giveUpAt) {
      const twice = repeatsEarly ? attempt(call, ask, random.pick(baseUrls)) : undefined;
      const saw = await attempt(call, ask, random.pick(baseUrls));
      await twice;
      if (saw.status !== null && saw.status !== 503) {
        // Repeats a call that was answered, like a client that lost the answer.
        if (saw.status < 300 && random.chance(0.08)) await attempt(call, ask, random.pick(baseUrls));
        return saw;
      }
      await delay(random.integer(200, 1_500));
    }
    return undefined;
  };

  async function attempt(call: number, ask: Ask, baseUrl: string): Promise<Saw> {
    const { trigger, actor, key, orderId = null, detail = null, method = 'POST', path, headers = {} } = ask;
    const startedAt = new Date();
    const send = createHttpCaller(baseUrl, key, ANSWER_WITHIN_MS);
    const { status, body } = await send(method, path, ask.body, headers).catch((error) => {
      // A complete answer that is not valid JSON must fail the run.
      if (error instanceof SyntaxError) throw error;
      // The connection was refused or cut off, or the answer was too late.
      return { status: null, body: null };
    });
    const saw: Saw = { call, trigger, actor, orderId, detail, startedAt, endedAt: new Date(), status, body };
    log.push(saw);
    return saw;
  }
}
