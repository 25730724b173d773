import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:http';

export interface RunningServer {
  server: Server;
  /** Takes no new connections, ends the requests at hand, then closes. */
  stop: () => Promise<void>;
}

/** How long requests at hand may take when the server stops; handlers answer sooner than that. */
const DRAIN_MS = 8_000;

/** Listens for HTTP. Slow senders are cut off: headers within 10 s, a whole request within 60 s. */
export async function startServer(
  handler: RequestListener,
  host: string,
  port: number,
): Promise<RunningServer> {
  const server = createServer(
    { headersTimeout: 10_000, requestTimeout: 60_000, keepAliveTimeout: 65_000 },
    handler,
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    server,
    stop: () =>
      new Promise((resolve) => {
        const force = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
        server.close(() => {
          clearTimeout(force);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}
