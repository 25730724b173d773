import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import { errorResponse } from '../api/error-responses.ts';
import { noteFailure, requireTrustworthy } from '../api/middleware/auth-failures.ts';
import { bearer } from '../api/middleware/authenticate.ts';
import { clientAddress } from '../api/middleware/client-address.ts';
import { asRefusal } from '../api/middleware/errors.ts';
import { requestIdOf } from '../api/middleware/request-log.ts';
import { answerAndClose } from '../api/raw-answer.ts';
import type { Database } from '../db/orm.ts';
import { lpIdOf } from '../db/queries/callers.ts';
import { positionFrom } from '../db/queries/feed.ts';
import { keepSlots, releaseSlots, takeSlot } from '../db/queries/socket-slots.ts';
import { DomainError, invalidField } from '../domain/errors.ts';
import { hashKey } from '../keys.ts';
import type { SocketMetrics } from '../metrics/sockets.ts';
import type { OrderFeed } from './feed.ts';
import { subscribe } from './subscription.ts';

const PATH = '/ws/orders';
/** A balancer must not take a socket for dead earlier. */
export const HEARTBEAT_MS = 30_000;
const KEEP_SLOTS_MS = 10_000;
/** From the request to the open socket. */
const ENTRANCE_MS = 10_000;
/** Clients have nothing long to say. */
const MAX_MESSAGE_BYTES = 4_096;
/** RFC 6455: "going away". */
const CLOSE_GOING_AWAY = 1001;
/** For a client to take in what it was sent last and to say goodbye; then it is cut off. */
const GOODBYE_MS = 2_000;

export interface SocketServerDeps {
  db: Database;
  feed: OrderFeed;
  log: Logger;
  metrics: SocketMetrics;
  /** Connections of one LP key, over all processes. */
  maxConnections: number;
  /** Wrong keys per minute and client address; 0: no limit. Shared with the HTTP routes. */
  authFailureLimit: number;
  trustProxyHops: number;
  heartbeatMs?: number;
  entranceMs?: number;
}

export interface SocketServer {
  close: () => Promise<void>;
}

interface Admission {
  lpId: number;
  holder: string;
  currencies: string[];
  cursor: ReturnType<typeof positionFrom>;
}

/** Contract: "WebSocket". Refusals are HTTP answers with JSON, before the upgrade. */
export function serveSockets(server: Server, deps: SocketServerDeps): SocketServer {
  const {
    db,
    feed,
    log,
    metrics,
    maxConnections,
    authFailureLimit,
    trustProxyHops,
    heartbeatMs = HEARTBEAT_MS,
    entranceMs = ENTRANCE_MS,
  } = deps;
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
  });
  const holders = new Map<WebSocket, string>();
  const unheard = new Set<WebSocket>();
  /** Asked to be sockets, and are neither that nor closed. */
  const entering = new Set<Duplex>();
  const admissions = new Set<Promise<void>>();
  const requestIds = new WeakMap<Duplex, string>();
  let closing = false;

  sockets.on('headers', (headers, { socket }) => {
    headers.push(`X-Request-Id: ${requestIds.get(socket)}`);
    answered(socket, 101);
  });
  server.on('upgrade', (request, stream, head) => {
    requestIds.set(stream, requestIdOf(request));
    stream.on('error', () => stream.destroy());
    const entered = expectEntry(stream);
    if (closing) return refuse(stream, away());
    const admission = admit(request).then(
      (admission) => {
        // A handshake that fails, or a caller that has gone or was turned away, must not keep its place.
        const abandoned = () => release(admission.holder);
        if (!stream.writable) return abandoned();
        stream.once('close', abandoned);
        sockets.handleUpgrade(request, stream, head, (socket) => {
          stream.off('close', abandoned);
          entered();
          open(socket, stream, admission);
        });
      },
      (error) => refuse(stream, error),
    );
    admissions.add(admission);
    admission.finally(() => admissions.delete(admission));
  });
  const heartbeat = setInterval(() => {
    for (const socket of holders.keys()) {
      if (unheard.has(socket)) socket.terminate();
      unheard.add(socket);
      socket.ping();
    }
  }, heartbeatMs);
  const keeping = setInterval(() => {
    if (holders.size === 0) return;
    keepSlots(db, [...holders.values()]).catch((error) =>
      log.warn({ err: error }, 'socket slots were not kept'),
    );
  }, KEEP_SLOTS_MS);

  return {
    close: async () => {
      closing = true;
      clearInterval(heartbeat);
      clearInterval(keeping);
      for (const stream of entering) refuse(stream, away());
      const held = [...holders.values()];
      const closed = [...holders.keys()].map((socket) => {
        socket.close(CLOSE_GOING_AWAY, 'restarting: resume with your last cursor');
        return new Promise((resolve) => socket.once('close', resolve));
      });
      const tooLong = setTimeout(() => {
        for (const socket of holders.keys()) socket.terminate();
      }, GOODBYE_MS);
      await Promise.all(closed);
      clearTimeout(tooLong);
      await releaseSlots(db, held).catch((error) =>
        log.warn({ err: error }, 'socket slots were not released'),
      );
      // Who was turned away while a slot was being taken gives it back while the database is still there.
      await Promise.all(admissions);
    },
  };

  /**
   * Gives what to call once the stream is an open socket. Until then nothing else ends it: Node takes its timeouts off
   * at the upgrade, waits for its other end, and closes no server before that.
   */
  function expectEntry(stream: Duplex): () => void {
    const tooLong = setTimeout(() => refuse(stream, away()), entranceMs);
    const entered = () => {
      clearTimeout(tooLong);
      entering.delete(stream);
    };
    entering.add(stream);
    stream.once('close', entered);
    return entered;
  }

  async function admit(request: IncomingMessage): Promise<Admission> {
    // `//` is a path here, and no address to a parser.
    const url = URL.parse(request.url ?? '/', 'http://corridor');
    if (url?.pathname !== PATH) throw new DomainError('not_found');
    const key = bearer(request.headers.authorization) ?? url.searchParams.get('lp_key') ?? '';
    const address = clientAddress(request, trustProxyHops);
    await requireTrustworthy(db, address, authFailureLimit);
    const lpId = await lpIdOf(db, hashKey(key));
    if (lpId === undefined) {
      await noteFailure(db, address, authFailureLimit);
      throw new DomainError('lp_unauthorized');
    }
    const given = url.searchParams.get('cursor');
    const cursor = given === null ? undefined : positionFrom(given);
    if (given !== null && !cursor) {
      throw invalidField('cursor', 'must be a cursor of this feed');
    }
    const named = (url.searchParams.get('currencies') ?? '').toUpperCase().split(',');
    const currencies = named.map((text) => text.trim()).filter(Boolean);
    const holder = await takeSlot(db, lpId, maxConnections);
    if (!holder) throw new DomainError('too_many_connections');
    return { lpId, holder, currencies, cursor };
  }

  function open(socket: WebSocket, stream: Duplex, { holder, ...view }: Admission): void {
    holders.set(socket, holder);
    metrics.opened();
    socket.on('pong', () => unheard.delete(socket));
    socket.on('error', (error) => log.debug({ err: error }, 'a socket broke'));
    socket.on('close', () => {
      metrics.closed();
      holders.delete(socket);
      unheard.delete(socket);
      release(holder);
    });
    subscribe(socket, stream, view, { db, feed, log, heartbeatMs }).catch((error) => {
      log.warn({ err: error }, 'a socket could not be served');
      socket.terminate();
    });
  }

  async function release(holder: string): Promise<void> {
    await releaseSlots(db, [holder]).catch((error) =>
      log.warn({ err: error }, 'a socket slot was not released'),
    );
  }

  function refuse(stream: Duplex, error: unknown): void {
    const refusal = asRefusal(error);
    if (refusal.code === 'internal') log.error({ err: error }, 'a socket could not be admitted');
    // One that has had its answer does not take it in.
    if (!stream.writable) return void stream.destroy();
    const { status, headers, body } = errorResponse(refusal);
    answered(stream, status);
    answerAndClose(stream, {
      status,
      headers: { 'x-request-id': `${requestIds.get(stream)}`, ...headers },
      body,
    });
  }

  /** The line in the log that the answer's id finds, as that of any request; and its place in the metrics. */
  function answered(stream: Duplex, status: number): void {
    log.info({ requestId: requestIds.get(stream), method: 'GET', route: PATH, status }, 'request');
    metrics.answered(status);
  }
}

const away = () => new DomainError('unavailable', undefined, { retryAfter: 2 });
