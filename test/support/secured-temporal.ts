import {
  connect,
  constants,
  createSecureServer,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Certified } from './certificates.ts';
import { testEnvironment } from './environment.ts';

/** A real Temporal behind TLS: a proxy that lets in only callers with a client certificate or a key. */
export interface SecuredTemporal {
  /** host:port. */
  address: string;
  /** The paths of the calls that it has let in. */
  calls: () => readonly string[];
  /** Requires another key from now on, and ends all connections. */
  requireKey: (apiKey: string) => void;
  /** Shows another certificate from now on, requires client certificates of this authority (PEM), and ends all connections. */
  renew: (server: Certified, clientAuthority: string) => void;
  stop: () => Promise<void>;
}

export interface Security {
  server: Certified;
  /** PEM of the authority of client certificates. Undefined: it requires none. */
  clientAuthority?: string;
  apiKey?: string;
  /** A managed Temporal, which creates no namespace and no search attribute for its users. */
  isManaged?: boolean;
}

const PERMISSION_DENIED = 7;
const UNAUTHENTICATED = 16;
const FOR_OPERATORS = /^\/temporal\.api\.operatorservice\.|\/RegisterNamespace$/;

export async function startSecuredTemporal({
  server: own,
  clientAuthority,
  apiKey,
  isManaged = false,
}: Security): Promise<SecuredTemporal> {
  let requiredKey = apiKey;
  const calls: string[] = [];
  const sessions = new Set<ServerHttp2Session>();
  const upstream = connect(`http://${testEnvironment().temporalAddress}`);
  const server = createSecureServer({
    ...own,
    ...(clientAuthority && { ca: clientAuthority, requestCert: true, rejectUnauthorized: true }),
  });
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    // A caller that TLS refuses, or that ends its process, breaks its connection.
    session.on('error', () => session.destroy());
  });
  server.on('stream', (stream, headers) => {
    const path = headers[':path'] ?? '';
    if (requiredKey !== undefined && headers.authorization !== `Bearer ${requiredKey}`)
      return refuse(stream, UNAUTHENTICATED, 'Request unauthorized.');
    if (isManaged && FOR_OPERATORS.test(path))
      return refuse(stream, PERMISSION_DENIED, 'Operator calls are not allowed.');
    calls.push(path);
    forward(stream, headers);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const endSessions = () => sessions.forEach((session) => void session.destroy());
  return {
    address: `localhost:${(server.address() as AddressInfo).port}`,
    calls: () => calls,
    requireKey: (key) => {
      requiredKey = key;
      endSessions();
    },
    renew: (certified, ca) => {
      server.setSecureContext({ ...certified, ca });
      endSessions();
    },
    stop: () =>
      new Promise((resolve) => {
        endSessions();
        upstream.close();
        server.close(() => resolve());
      }),
  };

  function forward(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const request = upstream.request({ ...withoutConnection(headers), ':authority': 'temporal' });
    let trailers: OutgoingHttpHeaders = {};
    request.on('trailers', (received) => {
      trailers = withoutConnection(received);
    });
    request.on('response', (received, flags) => {
      const endStream = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
      if (stream.destroyed) return;
      stream.respond(withoutConnection(received), endStream ? { endStream } : { waitForTrailers: true });
      if (!endStream) request.pipe(stream);
    });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    stream.pipe(request);
    // One side may end a call that the other still works on.
    stream.on('error', () => request.destroy()).on('close', () => request.destroy());
    request.on('error', () => stream.destroy());
  }
}

const refuse = (stream: ServerHttp2Stream, code: number, message: string) =>
  stream.respond(
    { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': code, 'grpc-message': message },
    { endStream: true },
  );

const withoutConnection = (headers: IncomingHttpHeaders): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name !== ':authority' && name !== ':scheme'));
