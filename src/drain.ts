import type { RequestListener, Server, ServerResponse } from 'node:http';
import { Server as Listener } from 'node:net';

/** How long requests at hand may take when the server stops; handlers answer sooner than that. */
const DRAIN_MS = 8_000;
/** How long a connection that is kept open may be silent before it is closed. */
const SILENCE_MS = 1_000;

/** Stops an HTTP server without leaving a request that it has taken unanswered. */
export interface Drain {
  /** The same handler, whose answers say from the stop on that they are the last of their connection. */
  attend: (handler: RequestListener) => RequestListener;
  /**
   * Takes no new connections at once. Connections that are open may bring one more request; those that are silent
   * are closed after a moment. Resolves when all are closed, at the latest after DRAIN_MS; a WebSocket counts.
   */
  stop: (server: Server) => Promise<void>;
}

export function createDrain(): Drain {
  const atHand = new Set<ServerResponse>();
  let stopping = false;
  return {
    attend: (handler) => (request, response) => {
      if (stopping) response.shouldKeepAlive = false;
      atHand.add(response);
      response.once('close', () => atHand.delete(response));
      return handler(request, response);
    },
    stop: (server) =>
      new Promise((resolve) => {
        stopping = true;
        // Where the headers are gone already this says nothing more; their connection falls silent, as others do.
        for (const response of atHand) response.shouldKeepAlive = false;
        const silence = setInterval(() => server.closeIdleConnections(), SILENCE_MS);
        const force = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
        server.once('close', () => {
          clearInterval(silence);
          clearTimeout(force);
          // Ends what else an HTTP server keeps going.
          server.close();
          resolve();
        });
        // An HTTP server's own close would cut off idle connections at this moment: whoever is in steady use is
        // idle between two requests, too, and the next one may be on its way.
        Listener.prototype.close.call(server);
      }),
  };
}
