import type { RequestListener, Server, ServerResponse } from 'node:http';
import { Server as Listener } from 'node:net';

/** How long running requests may take when the server stops. Every handler responds sooner. */
const DRAIN_MS = 8_000;
/** How long an open connection may be idle during the stop before the server closes it. */
const IDLE_MS = 1_000;

/** Stops an HTTP server after it has responded to every request that it accepted. */
export interface Drain {
  /** Wraps the handler: after the stop, each response is the last of its connection. */
  wrap: (handler: RequestListener) => RequestListener;
  /**
   * Accepts no new connections. Each open connection may send one more request; idle ones are closed after IDLE_MS.
   * Resolves when all connections, including WebSockets, are closed, at the latest after DRAIN_MS.
   */
  stop: (server: Server) => Promise<void>;
}

export function createDrain(): Drain {
  const running = new Set<ServerResponse>();
  let stopping = false;
  return {
    wrap: (handler) => (request, response) => {
      if (stopping) response.shouldKeepAlive = false;
      running.add(response);
      response.once('close', () => running.delete(response));
      return handler(request, response);
    },
    stop: (server) =>
      new Promise((resolve) => {
        stopping = true;
        // This has no effect on a response whose headers were sent before; its connection is closed once it is idle.
        for (const response of running) response.shouldKeepAlive = false;
        const closeIdle = setInterval(() => server.closeIdleConnections(), IDLE_MS);
        const force = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
        server.once('close', () => {
          clearInterval(closeIdle);
          clearTimeout(force);
          // Also stops the timers of the HTTP server.
          server.close();
          resolve();
        });
        // `server.close` would close idle connections immediately. A connection in steady use is idle between two
        // requests, and its next request may already be on its way.
        Listener.prototype.close.call(server);
      }),
  };
}
