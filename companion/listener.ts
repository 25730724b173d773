import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartupError } from '../src/process/startup-error.ts';
import { forward, NoAnswer, type RelayedResponse, readBytes } from './forward.ts';
import { checkSignatures, type ListenedSecrets, type SignatureCheck } from './signature-checks.ts';

/** A webhook as received, and the response to it. */
export interface ListenedWebhook {
  at: Date;
  /** Undefined if the body is not an event. */
  event: { order_id: number; status: string } | undefined;
  body: string;
  checks: SignatureCheck[];
  /** How many times this webhook has arrived so far, retries included. */
  times: number;
  /** The status returned to the service. */
  answered: number;
  /** Why the receiver's response is missing; null if there is one, or no receiver. */
  unanswered: string | null;
  durationMs: number;
}

export interface ListenerOptions {
  host: string;
  /** 0 picks a free port. */
  port: number;
  secrets: ListenedSecrets;
  /** The receiver to forward to; undefined: the listener answers by itself. */
  forwardTo: string | undefined;
  /** The listener's own answer to a webhook whose signatures are valid. */
  answer: number;
  onWebhook: (webhook: ListenedWebhook) => void;
}

export interface Listener {
  url: string;
  close: () => Promise<void>;
}

/** Starts a webhook receiver that reports each webhook. Throws a `StartupError` if it cannot listen on its port. */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const { host, port } = options;
  const counts = new Map<string, number>();
  const server = createServer((request, response) => {
    receive(request, response).catch((error: Error) => response.destroy(error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(portError(error, host, port)));
    server.listen(port, host, resolve);
  });
  const { port: boundPort } = server.address() as AddressInfo;

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}/webhooks`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBytes(request);
    if (request.method !== 'POST') {
      response.writeHead(405, { allow: 'POST' }).end('Send webhooks here with POST.\n');
      return;
    }
    const [at, began] = [new Date(), performance.now()];
    const checks = checkSignatures(options.secrets, body, request.headers);
    const { relayed, unanswered } = await answerTo(request, body, checks);
    response.writeHead(relayed.status, relayed.headers).end(relayed.body);
    options.onWebhook({
      ...{ at, checks, unanswered, body: body.toString(), event: eventOf(body) },
      times: countOf(request, body),
      answered: relayed.status,
      durationMs: Math.round(performance.now() - began),
    });
  }

  async function answerTo(
    { rawHeaders }: IncomingMessage,
    body: Buffer,
    checks: SignatureCheck[],
  ): Promise<{ relayed: RelayedResponse; unanswered: string | null }> {
    const ours = (status: number): RelayedResponse => ({ status, headers: [], body: Buffer.alloc(0) });
    if (options.forwardTo === undefined) {
      const isValid = checks.every(({ wrong }) => wrong === null);
      return { relayed: ours(isValid ? options.answer : 401), unanswered: null };
    }
    try {
      return { relayed: await forward(options.forwardTo, rawHeaders, body), unanswered: null };
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      return { relayed: ours(error.status), unanswered: error.message };
    }
  }

  /** Retries carry the same id. A webhook without an id is identified by its bytes. */
  function countOf({ headers }: IncomingMessage, body: Buffer): number {
    const id = String(headers['webhook-id'] ?? body);
    const times = (counts.get(id) ?? 0) + 1;
    counts.set(id, times);
    return times;
  }
}

function eventOf(body: Buffer): ListenedWebhook['event'] {
  try {
    const { order_id, status } = JSON.parse(body.toString());
    return typeof order_id === 'number' && typeof status === 'string' ? { order_id, status } : undefined;
  } catch {
    // Any client may post anything here. The caller shows it as "not an event".
    return undefined;
  }
}

function portError(error: NodeJS.ErrnoException, host: string, port: number): StartupError {
  const why =
    error.code === 'EADDRINUSE'
      ? 'is in use by another program, perhaps by another npm run listen'
      : `cannot be used (${error.code})`;
  return new StartupError(`Port ${port} on ${host} ${why}. Choose another with --port; 0 picks a free one.`);
}
