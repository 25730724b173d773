import { type ClientRequest, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import type { WebhookAnswer, WebhookRequest, WebhookSender } from './ports.ts';

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;

export interface WebhookHttpOptions {
  /** Let webhooks reach this machine and its network; for development only. */
  allowPrivate: boolean;
}

/**
 * Sends webhooks over HTTP(S). The connection itself refuses private, loopback and link-local addresses, after the
 * name was resolved; redirects are an answer and are not followed; one clock covers the whole exchange, so that a
 * receiver that drips bytes cannot stretch it.
 */
export function createWebhookSender({
  allowPrivate,
}: WebhookHttpOptions): WebhookSender & { close: () => void } {
  const filter = {
    allowPrivateIPAddress: allowPrivate,
    allowMetaIPAddress: false,
    keepAlive: true,
  };
  const agents = {
    http: new RequestFilteringHttpAgent(filter),
    https: new RequestFilteringHttpsAgent(filter),
  };

  const send = async (webhook: WebhookRequest): Promise<WebhookAnswer> => {
    const started = performance.now();
    const answer = await exchange(webhook).then(
      (status) => ({ status, error: null }),
      (error: Error) => ({ status: null, error: error.message || error.name }),
    );
    return { ...answer, durationMs: Math.round(performance.now() - started) };
  };
  return Object.assign(send, {
    close: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  });

  function exchange({ url, body, headers }: WebhookRequest): Promise<number> {
    return new Promise((resolve, reject) => {
      const secure = new URL(url).protocol === 'https:';
      const options = {
        method: 'POST',
        agent: secure ? agents.https : agents.http,
        headers: {
          ...headers,
          'content-length': Buffer.byteLength(body),
          'user-agent': 'Corridor-Webhooks/1',
        },
      };
      const request: ClientRequest = (secure ? httpsRequest : httpRequest)(url, options, (response) => {
        // The status is the answer; what follows is read only so that the connection can be used again.
        resolve(response.statusCode ?? 0);
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > MAX_ANSWER_BYTES) request.destroy();
        });
        response.on('error', () => request.destroy());
      });
      const clock = setTimeout(
        () => request.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)),
        TIMEOUT_MS,
      );
      request.on('error', reject);
      request.on('close', () => clearTimeout(clock));
      request.end(body);
    });
  }
}
