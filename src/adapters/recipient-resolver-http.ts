import { z } from 'zod';
import type { ResolvedRecipient } from '../domain/recipient-check.ts';
import { readBoundedJson } from './bounded-json.ts';
import type { RecipientResolver } from './ports.ts';
import { standardHeaders } from './webhook-signature.ts';

export interface RecipientResolverOptions {
  /** The operator's own service, so it may be on a private network. May contain a key. */
  url: string;
  secret: string;
}

const TIMEOUT_MS = 3_000;
const MAX_ANSWER_LENGTH = 16 * 1024;
const LONGEST_NAME = 200;

/** Other fields are ignored: a resolver cannot say `matched` itself. */
const Answer = z.object({ name: z.string().max(LONGEST_NAME).nullable() });

/**
 * Asks the operator's resolver by a signed POST. One timeout covers the whole exchange, and a redirect is a failure.
 * Failures have their own texts, because those of `fetch` may contain the address.
 */
export function createRecipientResolver({ url, secret }: RecipientResolverOptions): RecipientResolver {
  return async (id, question) => {
    const body = JSON.stringify(question);
    const signature = standardHeaders([secret], { id, body, at: new Date() });
    const response = await fetch(url, {
      method: 'POST',
      body,
      headers: { ...signature, 'content-type': 'application/json', accept: 'application/json' },
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: Error) => (error.name === 'TimeoutError' ? 'no answer in time' : 'no connection'));
    if (typeof response === 'string') return unavailable(response);
    if (response.status !== 200) {
      await response.body?.cancel().catch(() => {});
      return response.status === 404 ? { kind: 'unknown' } : unavailable(`HTTP ${response.status}`);
    }
    const { data } = Answer.safeParse(await readBoundedJson(response, MAX_ANSWER_LENGTH));
    if (!data) return unavailable('the answer is not as documented, or came too late');
    return data.name === null ? { kind: 'unknown' } : { kind: 'named', name: data.name };
  };
}

const unavailable = (reason: string): ResolvedRecipient => ({ kind: 'unavailable', reason });
