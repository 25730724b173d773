import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartupError } from '../src/embedded/free-port.ts';
import { bytesOf, forward, NoAnswer, type Relayed } from './forward.ts';
import { checkSignatures, type SignatureCheck } from './signature-checks.ts';

/** A webhook as it came in, and what it was answered. */
export interface HeardWebhook {
  at: Date;
  /** Undefined where the body is no event. */
  event: { order_id: number; status: string } | undefined;
  body: string;
  checks: SignatureCheck[];
  /** How many times this webhook has come by now: more than once when it was sent again. */
  times: number;
  /** The status that the service was answered. */
  answered: number;
  /** Why it was answered by us, and not by the receiver; null where it was. */
  unanswered: string | null;
  durationMs: number;
}

export interface ListenerOptions {
  host: string;
  /** 0: any that is free. */
  port: number;
  secret: string;
  /** Where webhooks are passed on to; undefined: they are answered here. */
  forwardTo: string | undefined;
  /** What they are answered here, where the signatures are good. */
  answer: number;
  heard: (webhook: HeardWebhook) => void;
}

export interface Listener {
  url: string;
  close: () => Promise<void>;
}

/** A receiver of webhooks that tells of each. Fails with a plain line where its port cannot be had. */
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
  const { port: taken } = server.address() as AddressInfo;

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}/webhooks`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bytesOf(request);
    if (request.method !== 'POST') {
      response.writeHead(405, { allow: 'POST' }).end('Webhooks are posted here.\n');
      return;
    }
    const [at, began] = [new Date(), performance.now()];
    const checks = checkSignatures(options.secret, body, request.headers);
    const { relayed, unanswered } = await answerTo(request, body, checks);
    response.writeHead(relayed.status, relayed.headers).end(relayed.body);
    options.heard({
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
  ): Promise<{ relayed: Relayed; unanswered: string | null }> {
    const ours = (status: number): Relayed => ({ status, headers: [], body: Buffer.alloc(0) });
    if (options.forwardTo === undefined) {
      const isGood = checks.every(({ wrong }) => wrong === null);
      return { relayed: ours(isGood ? options.answer : 401), unanswered: null };
    }
    try {
      return { relayed: await forward(options.forwardTo, rawHeaders, body), unanswered: null };
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      return { relayed: ours(error.status), unanswered: error.message };
    }
  }

  /** The same webhook has the same id; without one it is known by its bytes. */
  function countOf({ headers }: IncomingMessage, body: Buffer): number {
    const id = String(headers['webhook-id'] ?? body);
    const times = (counts.get(id) ?? 0) + 1;
    counts.set(id, times);
    return times;
  }
}

function eventOf(body: Buffer): HeardWebhook['event'] {
  try {
    const { order_id, status } = JSON.parse(body.toString());
    return typeof order_id === 'number' && typeof status === 'string' ? { order_id, status } : undefined;
  } catch {
    // Whoever posts here may post what they like; it is shown as no event.
    return undefined;
  }
}

function portError(error: NodeJS.ErrnoException, host: string, port: number): StartupError {
  const why =
    error.code === 'EADDRINUSE'
      ? 'is taken by another program, perhaps by another npm run listen'
      : `cannot be used (${error.code})`;
  return new StartupError(
    `Port ${port} on ${host} ${why}. Choose another with --port; 0 is any that is free.`,
  );
}
