import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../support/random.ts';

/** One attempt at a call, as its caller saw it. */
export interface Saw {
  /** Names the call: all its attempts are of one caller, who wants one thing. */
  call: number;
  /** What is asked: the trigger of an order's event, or `pay`, `withdraw` and so on. */
  trigger: string;
  /** As an event names it: `agent:3`, `lp:7`, `admin`. */
  actor: string;
  orderId: number | null;
  /** What was asked for besides: a key, a hash, an outcome. */
  detail: string | null;
  startedAt: Date;
  endedAt: Date;
  /** Null: no answer came. */
  status: number | null;
  /** Of the answer: what its JSON says, or the text where it is none. */
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

/** What the callers saw, for the proof at the end. */
export type SawLog = Saw[];

const ANSWER_WITHIN_MS = 6_000;
const GIVE_UP_AFTER_MS = 60_000;

/** An answer other than 503; undefined when the caller has given up. */
export type Caller = (ask: Ask, random: Random) => Promise<Saw | undefined>;

/**
 * Calls one API or another until it is answered, as the contract allows: the same call again after a 503, and after
 * no answer at all. Now and then it is made twice at once, by a caller that lost its patience.
 */
export function createCaller(baseUrls: string[], log: SawLog): Caller {
  let calls = 0;
  return async (ask, random) => {
    const call = ++calls;
    const giveUpAt = Date.now() + GIVE_UP_AFTER_MS;
    const impatient = random.chance(0.08);
    while (Date.now() < giveUpAt) {
      const twice = impatient ? attempt(call, ask, random.pick(baseUrls)) : undefined;
      const saw = await attempt(call, ask, random.pick(baseUrls));
      await twice;
      if (saw.status !== null && saw.status !== 503) {
        // A caller that has forgotten that it was answered.
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
    const { status, body } = await fetch(baseUrl + path, {
      method,
      headers: {
        ...(key ? { authorization: `Bearer ${key}` } : {}),
        ...(ask.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(ask.body === undefined ? {} : { body: JSON.stringify(ask.body) }),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    })
      .then(async (response) => ({
        status: response.status as number | null,
        body: jsonOrText(await response.text()),
      }))
      // Refused, cut off on its way, or too late.
      .catch(() => ({ status: null, body: null }));
    const saw: Saw = { call, trigger, actor, orderId, detail, startedAt, endedAt: new Date(), status, body };
    log.push(saw);
    return saw;
  }
}

/** What is no JSON is an answer, too, though none that the contract has. */
function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
