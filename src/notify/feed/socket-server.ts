import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import { DomainError } from '../../domain/errors.ts';
import { createAddressLimit } from '../../http/access/address-limit.ts';
import { FAILURE_WINDOW_SECONDS, refuseOverLimit } from '../../http/access/auth-failures.ts';
import { createFindSession } from '../../http/access/console-session.ts';
import { exactAddress } from '../../http/client-address.ts';
import { errorResponse } from '../../http/error-responses.ts';
import { respondAndClose } from '../../http/raw-response.ts';
import { refusalFor } from '../../http/refusal.ts';
import { requestIdOf } from '../../http/request-id.ts';
import type { SocketMetrics } from '../../process/metrics/sockets.ts';
import { type Admission, type AdmissionDeps, admit, FEED_PATH } from './admission.ts';
import type { OrderFeed } from './order-feed.ts';
import { keepSlots, releaseSlots } from './socket-slots.ts';
import { closeSocketsWithoutAccess } from './socket-watch.ts';
import { subscribe } from './subscription.ts';

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

export interface SocketServerDeps extends Omit<AdmissionDeps, 'findSession' | 'countStranger'> {
  feed: OrderFeed;
  log: Logger;
  metrics: SocketMetrics;
  heartbeatMs?: number;
  upgradeMs?: number;
}

export interface SocketServer {
  close: () => Promise<void>;
}

/** What the log says about an upgrade request. */
interface UpgradeRequest {
  requestId: string;
  address: string;
  caller?: string;
}

/** Serves the order feed. Contract: "WebSocket". A refusal is an HTTP response with JSON, sent instead of the upgrade. */
export function serveSockets(server: Server, deps: SocketServerDeps): SocketServer {
  const { db, feed, log, metrics, settings, heartbeatMs = HEARTBEAT_MS, upgradeMs = UPGRADE_MS } = deps;
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
  });
  const findSession = createFindSession(db, settings.session);
  const take = createAddressLimit(settings.limits.public, FAILURE_WINDOW_SECONDS);
  const countStranger = (address: string) => {
    if (settings.limits.public > 0) refuseOverLimit(take(address));
  };
  const admitted = new Map<WebSocket, Admission>();
  /** Sockets that have not answered the last ping. */
  const unanswered = new Set<WebSocket>();
  /** Connections whose upgrade has neither succeeded nor failed yet. */
  const upgrading = new Set<Duplex>();
  const admissions = new Set<Promise<void>>();
  const upgrades = new WeakMap<Duplex, UpgradeRequest>();
  let closing = false;

  sockets.on('headers', (headers, { socket }) => {
    headers.push(`X-Request-Id: ${upgrades.get(socket)?.requestId}`);
    logResponse(socket, 101);
  });
  server.on('upgrade', (request, stream, head) => {
    const upgrade: UpgradeRequest = {
      requestId: requestIdOf(request),
      address: exactAddress(request, settings.trustProxyHops) ?? 'unknown',
    };
    upgrades.set(stream, upgrade);
    stream.on('error', () => stream.destroy());
    const upgraded = awaitUpgrade(stream);
    if (closing) return refuse(stream, unavailable());
    const admission = admit(request, { ...deps, findSession, countStranger }, (caller) => {
      upgrade.caller = caller;
    }).then(
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
    logResponse(stream, status, refusal.code);
    respondAndClose(stream, {
      status,
      headers: { 'x-request-id': `${upgrades.get(stream)?.requestId}`, ...headers },
      body,
    });
  }

  /** Logs and counts the response as the HTTP application does for its requests. */
  function logResponse(stream: Duplex, status: number, code?: string): void {
    log.info({ ...upgrades.get(stream), method: 'GET', route: FEED_PATH, status, code }, 'request');
    metrics.answered(status);
  }
}

const unavailable = () => new DomainError('unavailable', undefined, { retryAfter: 2 });
