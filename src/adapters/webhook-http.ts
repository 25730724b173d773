import { lookup as systemLookup } from 'node:dns';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { Span } from '@opentelemetry/api';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { answerText, MAX_ANSWER_BYTES, type ReceivedAnswer } from '../domain/receiver-answer.ts';
import { inTrace, markFailed, type SpanPlan } from '../process/tracing/tracing.ts';
import type { WebhookAnswer, WebhookRequest, WebhookSender } from './ports.ts';

const TIMEOUT_MS = 10_000;
/** How long the body of an answer may take after the status, which alone decides. */
const BODY_TIMEOUT_MS = 1_000;
/** How long an unused connection stays open. Otherwise receivers with many host names could use up a worker's connections. */
const IDLE_MS = 30_000;
/** A longer answer ends its connection. Of a shorter one, the part that is not kept is skipped. */
const MAX_SKIPPED_BYTES = 64 * 1024;

export interface WebhookHttpOptions {
  /** Allows webhooks to this machine and its network. For development only. */
  allowPrivate: boolean;
  /** Resolves host names. Default: the system's resolver. */
  lookup?: LookupFunction;
  /** How long an unused connection stays open, in milliseconds. */
  idleMs?: number;
}

/**
 * Addresses that the filtering agent accepts although they are not public: IPv6 addresses outside the one allocated
 * block, and the address of cloud metadata services, which is not in a private range. Each family has its own list,
 * because a list with `::/3` would also contain every IPv4 address as a mapped IPv6 address.
 */
const NOT_PUBLIC = { ipv4: new BlockList(), ipv6: new BlockList() };
NOT_PUBLIC.ipv4.addAddress('168.63.129.16');
NOT_PUBLIC.ipv6.addSubnet('::', 3, 'ipv6');
NOT_PUBLIC.ipv6.addSubnet('4000::', 2, 'ipv6');
NOT_PUBLIC.ipv6.addSubnet('8000::', 1, 'ipv6');

/**
 * Sends webhooks over HTTP(S). The connection itself refuses private, loopback and link-local addresses after the name is
 * resolved. A redirect counts as an answer and is not followed. One timeout covers the whole exchange, so that a receiver
 * cannot prolong it by sending single bytes.
 */
export function createWebhookSender({
  allowPrivate,
  lookup = systemLookup,
  idleMs = IDLE_MS,
}: WebhookHttpOptions): WebhookSender & { close: () => void } {
  const filter = {
    allowPrivateIPAddress: allowPrivate,
    allowMetaIPAddress: false,
    keepAlive: true,
    timeout: idleMs,
    lookup: allowPrivate ? lookup : publicOnly(lookup),
  };
  const agents = {
    http: new RequestFilteringHttpAgent(filter),
    https: new RequestFilteringHttpsAgent(filter),
  };

  const send = async (webhook: WebhookRequest): Promise<WebhookAnswer> => {
    const started = performance.now();
    const answer = await inTrace(
      () => spanOf(webhook),
      async (span) => {
        const answer = await exchange(webhook).then(
          (answered) => ({ ...answered, error: null }),
          (error: Error) => ({ status: null, body: null, error: describe(error) }),
        );
        if (span) noteAnswer(span, answer.status);
        return answer;
      },
    );
    return { ...answer, durationMs: Math.round(performance.now() - started) };
  };
  return Object.assign(send, {
    close: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  });

  function exchange({
    url,
    body,
    headers,
  }: WebhookRequest): Promise<{ status: number; body: ReceivedAnswer }> {
    return new Promise((resolve, reject) => {
      const { protocol, hostname } = new URL(url);
      // A literal IP address needs no lookup.
      if (!allowPrivate && isNotPublic(hostname.replace(/^\[|\]$/g, ''))) throw new NotPublic();
      const secure = protocol === 'https:';
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
        // The receiver has answered, whatever happens to the rest of the exchange.
        request.off('error', reject).on('error', () => undefined);
        const status = response.statusCode ?? 0;
        resolve(readBeginning(response).then((body) => ({ status, body })));
      });
      const clock = setTimeout(
        () => request.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)),
        TIMEOUT_MS,
      );
      request.on('error', reject);
      request.on('close', () => {
        clearTimeout(clock);
        // If the receiver switches to another protocol, Node emits neither `response` nor `error`.
        reject(new Error('the connection ended without an answer'));
      });
      request.end(body);
    });
  }
}

/** Reads the beginning of an answer, and skips the rest, so that the connection can be reused. Never rejects. */
function readBeginning(response: IncomingMessage): Promise<ReceivedAnswer> {
  return new Promise((resolve) => {
    const kept: Buffer[] = [];
    let bytes = 0;
    let isFinished = false;
    const finish = (isCut: boolean) => {
      // Further chunks, which may be single bytes, must cost nothing.
      if (isFinished) return;
      isFinished = true;
      resolve({ text: answerText(Buffer.concat(kept)), isCut });
    };
    const clock = setTimeout(finish, BODY_TIMEOUT_MS, true);
    response.on('data', (chunk: Buffer) => {
      if (bytes < MAX_ANSWER_BYTES) kept.push(chunk.subarray(0, MAX_ANSWER_BYTES - bytes));
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) finish(true);
      if (bytes > MAX_SKIPPED_BYTES) response.destroy();
    });
    response.on('error', () => response.destroy());
    response.on('end', () => finish(false));
    response.on('close', () => {
      clearTimeout(clock);
      finish(true);
    });
  });
}

/** Names only the host: the path and the query may contain a secret of the receiver. */
function spanOf({ url, headers }: WebhookRequest): SpanPlan {
  const { protocol, hostname, port } = new URL(url);
  return {
    name: 'POST',
    kind: 'client',
    attributes: {
      'http.request.method': 'POST',
      'url.scheme': protocol.slice(0, -1),
      'corridor.webhook.id': headers['webhook-id'],
      'server.address': hostname,
      'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
    },
  };
}

function noteAnswer(span: Span, status: number | null): void {
  if (status !== null) span.setAttribute('http.response.status_code', status);
  if (status === null || status >= 400) markFailed(span, String(status ?? 'no_answer'));
}

class NotPublic extends Error {}

function isNotPublic(address: string): boolean {
  if (isIP(address) === 0) return false;
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  return NOT_PUBLIC[family].check(address.replace(/%.*/, ''), family);
}

/** A resolver that fails unless every address that it finds is public. */
const publicOnly =
  (lookup: LookupFunction): LookupFunction =>
  (name, options, callback) =>
    lookup(name, options, (error, found, family) => {
      const addresses = Array.isArray(found) ? found.map(({ address }) => address) : [found];
      if (!error && addresses.some(isNotPublic)) callback(new NotPublic(), found, family);
      else callback(error, found, family);
    });

/** The error text for the agent. It does not name an internal address, which would map the operator's network. */
function describe(error: Error): string {
  const isRefused = error instanceof NotPublic || /^DNS lookup .+ is not allowed/.test(error.message);
  return isRefused ? 'the address is not a public one' : error.message || error.name;
}
