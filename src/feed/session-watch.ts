import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import { liveLpSessions, type SessionLimits } from '../access/console-session.ts';
import type { Database } from '../db/orm.ts';

/** A socket outlives its session by this at most. */
const CHECK_MS = 5_000;
/** RFC 6455: "policy violation". */
const CLOSE_SIGNED_OUT = 1008;

export interface SessionWatch {
  /** Closes the socket once the session has ended, or its LP has lost the key of the session. */
  watch: (socket: WebSocket, sessionId: number) => void;
  close: () => void;
}

/** Watches the sessions of the console that have opened sockets. */
export function createSessionWatch(db: Database, limits: SessionLimits, log: Logger): SessionWatch {
  const sessions = new Map<WebSocket, number>();
  const closeEnded = async () => {
    const live = await liveLpSessions(db, [...sessions.values()], limits);
    for (const [socket, sessionId] of sessions)
      if (!live.has(sessionId)) socket.close(CLOSE_SIGNED_OUT, 'signed out');
  };
  const timer = setInterval(() => {
    if (sessions.size === 0) return;
    closeEnded().catch((error) => log.warn({ err: error }, 'could not check the sessions of sockets'));
  }, CHECK_MS);
  return {
    watch: (socket, sessionId) => {
      sessions.set(socket, sessionId);
      socket.once('close', () => sessions.delete(socket));
    },
    close: () => clearInterval(timer),
  };
}
