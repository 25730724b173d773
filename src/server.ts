import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorResponse } from './api/error-responses.ts';
import { answerAndClose, LAST_ANSWER_HEADERS } from './api/raw-answer.ts';
import { DomainError, type ErrorCode } from './domain/errors.ts';
import { createDrain } from './drain.ts';

export interface RunningServer {
  server: Server;
  /** Takes no new connections, answers the requests at hand, then closes. */
  stop: () => Promise<void>;
}

/** How slow a caller may be, in milliseconds. */
export interface Patience {
  /** For the headers of a request. */
  headers: number;
  /** For a whole request. */
  request: number;
  /** Without a byte in either direction, whether it is the caller that does not send or that does not read. */
  silence: number;
}

const PATIENCE: Patience = { headers: 10_000, request: 60_000, silence: 90_000 };

/** Listens for HTTP. Who sends or reads too slowly is cut off, so that connections cannot be collected. */
export async function startServer(
  handler: RequestListener,
  host: string,
  port: number,
  patience: Patience = PATIENCE,
): Promise<RunningServer> {
  const drain = createDrain();
  const serve = drain.attend(withOneHost(handler));
  const server = createServer(
    {
      requireHostHeader: false,
      headersTimeout: patience.headers,
      requestTimeout: patience.request,
      // By itself Node looks only twice a minute, and ten seconds would be up to forty.
      connectionsCheckingInterval: Math.ceil(patience.headers / 5),
      keepAliveTimeout: 65_000,
      // HTTP clients that would rather speak HTTP/2 ask for it in this way, and take a plain answer as well.
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
    },
    serve,
  );
  server.setTimeout(patience.silence);
  // What is expected of us is not known; the request is answered like any other.
  server.on('checkExpectation', serve);
  refuseWhatIsNoRequest(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return { server, stop: () => drain.stop(server) };
}

const REFUSALS: Record<string, ErrorCode> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'payload_too_large',
};

/** RFC 9112, 3.2: a request names one host; what does not may be read otherwise by whoever stands in front. */
const withOneHost =
  (handler: RequestListener): RequestListener =>
  (request, response) => {
    const hosts = request.headersDistinct.host?.length ?? 0;
    if (hosts === 1 || (hosts === 0 && request.httpVersion === '1.0')) return handler(request, response);
    const { status, headers, body } = errorResponse(new DomainError('bad_request'));
    const text = JSON.stringify(body);
    response.writeHead(status, { ...LAST_ANSWER_HEADERS, ...headers, 'content-length': text.length });
    response.end(text);
  };

/** Answers bytes that are no request in the form of all other refusals, and ends their connection. */
function refuseWhatIsNoRequest(server: Server): void {
  const latest = new WeakMap<Duplex, ServerResponse>();
  server.prependListener('request', ({ socket }: IncomingMessage, response) => latest.set(socket, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const response = latest.get(socket);
    const isAnswering = response?.headersSent && !response.writableFinished;
    // A second answer in the middle of one would be read as a part of it.
    if (isAnswering || !socket.writable) return void socket.destroy();
    answerAndClose(socket, errorResponse(new DomainError(REFUSALS[error.code ?? ''] ?? 'bad_request')));
  });
}
