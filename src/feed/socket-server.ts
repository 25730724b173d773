import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import { noteFailure, refuseBlockedAddress } from '../access/auth-failures.ts';
import type { SessionLimits } from '../access/console-session.ts';
import type { LpAccess } from '../access/ended-access.ts';
import type { Database } from '../db/orm.ts';
import { DomainError, invalidField } from '../domain/errors.ts';
import { type FeedPosition, parseCursor } from '../domain/feed-cursor.ts';
import { clientAddress } from '../http/client-address.ts';
import { errorResponse } from '../http/error-responses.ts';
import { HttpError } from '../http/errors.ts';
import { isFromForeignPage, type PageSettings } from '../http/own-page.ts';
import { respondAndClose } from '../http/raw-response.ts';
import { refusalFor } from '../http/refusal.ts';
import { requestIdOf } from '../http/request-id.ts';
import type { SocketMetrics } from '../metrics/sockets.ts';
import type { OrderFeed } from './order-feed.ts';
import { callingLp } from './socket-caller.ts';
import { keepSlots, releaseSlots, takeSlot } from './socket-slots.ts';
import { closeSocketsWithoutAccess } from './socket-watch.ts';
import { subscribe } from './subscription.ts';

const PATH = '/ws/orders';
/** Load balancers must allow a socket to be silent for longer than this. */
export const HEARTBEAT_MS = 30_000;
const KEEP_SLOTS_MS = 10_000;
/** The longest time from the upgrade request to the open socket. */
const UPGRADE_MS = 10_000;
/** Clients only send short `resume` messages. */
const MAX_MESSAGE_BYTES = 4_096;
/** RFC 6455: "going away". */
const CLOSE_GOING_AWAY = 1001;
/** How long a client may take to answer the closing handshake before the server ends its connection. */
const CLOSE_MS = 2_000;

export interface SocketServerDeps {
  db: Database;
  feed: OrderFeed;
  log: Logger;
  metrics: SocketMetrics;
  /** Connections per LP, across all processes. */
  maxConnections: number;
  /** Wrong keys per minute and client address; 0: no limit. The HTTP routes count in the same window. */
  authFailureLimit: number;
  /** How clients reach this service, and how long sessions of the console last. */
  settings: PageSettings & { session: SessionLimits };
  heartbeatMs?: number;
  upgradeMs?: number;
}

export interface SocketServer {
  close: () => Promise<void>;
}

interface Admission extends LpAccess {
  holder: string;
  currencies: string[];
  cursor: FeedPosition | undefined;
}

/** Serves the order feed. Contract: "WebSocket". A refusal is an HTTP response with JSON, sent instead of the upgrade. */
export function serveSockets(server: Server, deps: SocketServerDeps): SocketServer {
  const {
    db,
    feed,
    log,
    metrics,
    maxConnections,
    authFailureLimit,
    settings,
    heartbeatMs = HEARTBEAT_MS,
    upgradeMs = UPGRADE_MS,
  } = deps;
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
  });
  const admitted = new Map<WebSocket, Admission>();
  /** Sockets that have not answered the last ping. */
  const unanswered = new Set<WebSocket>();
  /** Connections whose upgrade has neither succeeded nor failed yet. */
  const upgrading = new Set<Duplex>();
  const admissions = new Set<Promise<void>>();
  const requestIds = new WeakMap<Duplex, string>();
  let closing = false;

  sockets.on('headers', (headers, { socket }) => {
    headers.push(`X-Request-Id: ${requestIds.get(socket)}`);
    logResponse(socket, 101);
  });
  server.on('upgrade', (request, stream, head) => {
    requestIds.set(stream, requestIdOf(request));
    stream.on('error', () => stream.destroy());
    const upgraded = awaitUpgrade(stream);
    if (closing) return refuse(stream, unavailable());
    const admission = admit(request).then(
      (admission) => {
        // A failed handshake, a client that has left and a refused client must not keep a slot.
        const abandoned = () => release(admission.holder);
        if (!stream.writable) return abandoned();
        stream.once('close', abandoned);
        sockets.handleUpgrade(request, stream, head, (socket) => {
          stream.off('close', abandoned);
          upgraded();
          open(socket, stream, admission);
        });
      },
      (error) => refuse(stream, error),
    );
    admissions.add(admission);
    admission.finally(() => admissions.delete(admission));
  });
  const heartbeat = setInterval(() => {
    for (const socket of admitted.keys()) {
      if (unanswered.has(socket)) socket.terminate();
      unanswered.add(socket);
      socket.ping();
    }
  }, heartbeatMs);
  const slotRenewal = setInterval(() => {
    if (admitted.size === 0) return;
    keepSlots(db, heldSlots()).catch((error) => log.warn({ err: error }, 'could not renew the socket slots'));
  }, KEEP_SLOTS_MS);
  const endWatch = closeSocketsWithoutAccess(db, log, admitted, settings.session);

  return {
    close: async () => {
      closing = true;
      clearInterval(heartbeat);
      clearInterval(slotRenewal);
      endWatch();
      for (const stream of upgrading) refuse(stream, unavailable());
      const held = heldSlots();
      const closed = [...admitted.keys()].map((socket) => {
        socket.close(CLOSE_GOING_AWAY, 'restarting: resume with your last cursor');
        return new Promise((resolve) => socket.once('close', resolve));
      });
      const tooLong = setTimeout(() => {
        for (const socket of admitted.keys()) socket.terminate();
      }, CLOSE_MS);
      await Promise.all(closed);
      clearTimeout(tooLong);
      await releaseSlots(db, held).catch((error) =>
        log.warn({ err: error }, 'could not release the socket slots'),
      );
      // An admission that took a slot during the close must release it before the database closes.
      await Promise.all(admissions);
    },
  };

  function heldSlots(): string[] {
    return [...admitted.values()].map(({ holder }) => holder);
  }

  /**
   * Ends a connection whose upgrade takes too long; returns the function to call once the socket is open. Node itself
   * would wait: it removes its timeouts at the upgrade request, and a server cannot close before the connection does.
   */
  function awaitUpgrade(stream: Duplex): () => void {
    const tooLong = setTimeout(() => refuse(stream, unavailable()), upgradeMs);
    const upgraded = () => {
      clearTimeout(tooLong);
      upgrading.delete(stream);
    };
    upgrading.add(stream);
    stream.once('close', upgraded);
    return upgraded;
  }

  async function admit(request: IncomingMessage): Promise<Admission> {
    // With a base URL, `//` in the path parses as a host; `URL.parse` then returns null instead of throwing.
    const url = URL.parse(request.url ?? '/', 'http://corridor');
    if (url?.pathname !== PATH) throw new DomainError('not_found');
    // Before anything counts: any page can make a browser open sockets, and would lock the browser's user out.
    if (isFromForeignPage(request, settings)) throw new HttpError('origin_refused');
    const address = clientAddress(request, settings.trustProxyHops);
    await refuseBlockedAddress(db, address, authFailureLimit);
    const key = url.searchParams.get('lp_key');
    const caller = await callingLp(db, request, key, settings);
    if (!caller) {
      // Without a key, nobody has tried one.
      if (key !== null || request.headers.authorization !== undefined)
        await noteFailure(db, address, authFailureLimit);
      throw new DomainError('lp_unauthorized');
    }
    const given = url.searchParams.get('cursor');
    const cursor = given === null ? undefined : parseCursor(given);
    if (given !== null && !cursor) {
      throw invalidField('cursor', 'must be a cursor from this feed');
    }
    const named = (url.searchParams.get('currencies') ?? '').toUpperCase().split(',');
    const currencies = named.map((text) => text.trim()).filter(Boolean);
    const holder = await takeSlot(db, caller.lpId, maxConnections);
    if (!holder) throw new HttpError('too_many_connections');
    return { ...caller, holder, currencies, cursor };
  }

  function open(socket: WebSocket, stream: Duplex, admission: Admission): void {
    const { holder } = admission;
    admitted.set(socket, admission);
    metrics.opened();
    socket.on('pong', () => unanswered.delete(socket));
    socket.on('error', (error) => log.debug({ err: error }, 'socket error'));
    socket.on('close', () => {
      metrics.closed();
      admitted.delete(socket);
      unanswered.delete(socket);
      release(holder);
    });
    subscribe(socket, stream, admission, { db, feed, log, heartbeatMs }).catch((error) => {
      log.warn({ err: error }, 'could not serve a socket');
      socket.terminate();
    });
  }

  async function release(holder: string): Promise<void> {
    await releaseSlots(db, [holder]).catch((error) =>
      log.warn({ err: error }, 'could not release a socket slot'),
    );
  }

  function refuse(stream: Duplex, error: unknown): void {
    const refusal = refusalFor(error);
    if (refusal.code === 'internal') log.error({ err: error }, 'could not admit a socket');
    // A response has already been sent on the stream.
    if (!stream.writable) return void stream.destroy();
    const { status, headers, body } = errorResponse(refusal);
    logResponse(stream, status);
    respondAndClose(stream, {
      status,
      headers: { 'x-request-id': `${requestIds.get(stream)}`, ...headers },
      body,
    });
  }

  /** Logs and counts the response as the HTTP application does for its requests. */
  function logResponse(stream: Duplex, status: number): void {
    log.info({ requestId: requestIds.get(stream), method: 'GET', route: PATH, status }, 'request');
    metrics.answered(status);
  }
}

const unavailable = () => new DomainError('unavailable', undefined, { retryAfter: 2 });
