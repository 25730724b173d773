import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { createDrain } from './drain.ts';
import { errorResponse } from './error-responses.ts';
import { HttpError, type HttpErrorCode, type ResponseError } from './errors.ts';
import { MOST_WAITING, oneAtATime } from './one-at-a-time.ts';
import { LAST_RESPONSE_HEADERS, respondAndClose } from './raw-response.ts';

export interface RunningServer {
  server: Server;
  /** Accepts no new connections, responds to the running requests, then closes. */
  stop: () => Promise<void>;
}

/** How slow a client may be, in milliseconds. */
export interface Timeouts {
  /** For the headers of a request to arrive. */
  headers: number;
  /** For a whole request to arrive. */
  request: number;
  /** Without a byte in either direction. */
  idle: number;
}

const TIMEOUTS: Timeouts = { headers: 10_000, request: 60_000, idle: 90_000 };

/**
 * Listens for HTTP, and serves one request of a connection at a time. Ends the connections of slow clients, so that a client
 * cannot hold many of them open.
 */
export async function startServer(
  handler: RequestListener,
  host: string,
  port: number,
  timeouts: Timeouts = TIMEOUTS,
): Promise<RunningServer> {
  const drain = createDrain();
  const serve = oneAtATime(drain.wrap(withOneHost(handler)), refuseCrowd);
  const server = createServer(
    {
      requireHostHeader: false,
      headersTimeout: timeouts.headers,
      requestTimeout: timeouts.request,
      // Node checks every 30 s by default; ten seconds would become up to forty.
      connectionsCheckingInterval: Math.ceil(timeouts.headers / 5),
      keepAliveTimeout: 65_000,
      // Clients also use Upgrade to offer HTTP/2; they accept an HTTP/1.1 response.
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
    },
    serve,
  );
  server.setTimeout(timeouts.idle);
  // An unknown `Expect` header is ignored.
  server.on('checkExpectation', serve);
  refuseMalformedRequests(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return { server, stop: () => drain.stop(server) };
}

const REFUSALS: Record<string, HttpErrorCode> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'payload_too_large',
};

/** RFC 9112, 3.2: a request has exactly one Host. A proxy may read a request with several differently than we do. */
const withOneHost =
  (handler: RequestListener): RequestListener =>
  (request, response) => {
    const hosts = request.headersDistinct.host?.length ?? 0;
    if (hosts === 1 || (hosts === 0 && request.httpVersion === '1.0')) return handler(request, response);
    respondLast(response, new HttpError('bad_request'));
  };

const CROWD = `A connection may have at most ${1 + MOST_WAITING} requests without a response: wait for responses before you send more`;

const refuseCrowd: RequestListener = (_request, response) =>
  respondLast(response, new HttpError('rate_limited', CROWD, { retryAfter: 1 }));

/** Sends a refusal that ends the connection. */
function respondLast(response: ServerResponse, error: ResponseError): void {
  const { status, headers, body } = errorResponse(error);
  const text = JSON.stringify(body);
  response.writeHead(status, { ...LAST_RESPONSE_HEADERS, ...headers, 'content-length': text.length });
  response.end(text);
}

/** Responds to bytes that are not an HTTP request with the usual error body, and ends the connection. */
function refuseMalformedRequests(server: Server): void {
  const latest = new WeakMap<Duplex, ServerResponse>();
  server.prependListener('request', ({ socket }: IncomingMessage, response) => latest.set(socket, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const response = latest.get(socket);
    const isResponding = response?.headersSent && !response.writableFinished;
    // The client would read a second response as part of the first.
    if (isResponding || !socket.writable) return void socket.destroy();
    respondAndClose(socket, errorResponse(new HttpError(REFUSALS[error.code ?? ''] ?? 'bad_request')));
  });
}
