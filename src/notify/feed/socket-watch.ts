import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import type { Database } from '../../db/orm.ts';
import type { SessionLimits } from '../../http/access/console-session.ts';
import { findEndedAccess, type LpAccess } from '../../http/access/ended-access.ts';

/** An ended key or session loses its sockets within five seconds: this long, the query and `CLOSE_MS`. */
const LOOK_EVERY_MS = 2_000;
/** How long a client may take to answer the closing handshake before the server ends its connection. */
const CLOSE_MS = 2_000;

/** How a socket closes. 4401 is an application's own code (RFC 6455, 7.4.2), like the status 401; 1008 is "policy violation". */
const CLOSINGS: Record<'key' | 'session', [code: number, reason: string]> = {
  key: [4401, 'this key has ended: connect again with the present key'],
  session: [1008, 'signed out'],
};

/**
 * Closes the sockets that their key or session would no longer open, whichever process ended it. Both also end with the
 * clock, so each process looks for itself, with one query for all its sockets. Returns a function that ends the looks.
 */
export function closeSocketsWithoutAccess(
  db: Database,
  log: Logger,
  sockets: ReadonlyMap<WebSocket, LpAccess>,
  limits: SessionLimits,
): () => void {
  let looking = false;
  const timer = setInterval(() => {
    if (looking || sockets.size === 0) return;
    looking = true;
    look()
      .catch((error) =>
        log.warn({ err: error }, 'could not check the access of open sockets; will try again'),
      )
      .finally(() => {
        looking = false;
      });
  }, LOOK_EVERY_MS);
  return () => clearInterval(timer);

  async function look(): Promise<void> {
    const asked = [...sockets];
    const held = asked.map(([, access]) => access);
    for (const { place, ended } of await findEndedAccess(db, held, limits)) {
      const [socket, { lpId }] = asked[place] as (typeof asked)[number];
      if (socket.readyState !== socket.OPEN) continue;
      log.info({ lpId, ended }, 'closing a socket without access');
      socket.close(...CLOSINGS[ended]);
      const tooLong = setTimeout(() => socket.terminate(), CLOSE_MS);
      socket.once('close', () => clearTimeout(tooLong));
    }
  }
}
