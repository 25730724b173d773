import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import { findEndedLpKeys } from '../access/find-caller.ts';
import type { Database } from '../db/orm.ts';

/** The LP of an open socket, and the hash of the key that opened it. */
export interface SocketKey {
  lpId: number;
  keyHash: Buffer;
}

/** A socket closes at most this long, the query and `CLOSE_MS` after the end of its key: within five seconds. */
const LOOK_EVERY_MS = 2_000;
/** How long a client may take to answer the closing handshake before the server ends its connection. */
const CLOSE_MS = 2_000;
/** An application's own code (RFC 6455, 7.4.2): the counterpart of the status 401. */
export const CLOSE_KEY_ENDED = 4401;
const REASON = 'this key has ended: connect again with the present key';

/**
 * Closes the sockets whose key no longer opens one, whichever process ended it. A replaced key ends with the clock too, so
 * each process looks for itself, with one query for all its sockets. Returns a function that ends the looks.
 */
export function closeSocketsOfEndedKeys(
  db: Database,
  log: Logger,
  sockets: ReadonlyMap<WebSocket, SocketKey>,
): () => void {
  let looking = false;
  const timer = setInterval(() => {
    if (looking || sockets.size === 0) return;
    looking = true;
    look()
      .catch((error) => log.warn({ err: error }, 'could not check the keys of open sockets; will try again'))
      .finally(() => {
        looking = false;
      });
  }, LOOK_EVERY_MS);
  return () => clearInterval(timer);

  async function look(): Promise<void> {
    const asked = [...sockets];
    const keys = asked.map(([, key]) => key);
    for (const place of await findEndedLpKeys(db, keys)) {
      const [socket, { lpId }] = asked[place] as (typeof asked)[number];
      if (socket.readyState !== socket.OPEN) continue;
      log.info({ lpId }, 'closing a socket whose key has ended');
      socket.close(CLOSE_KEY_ENDED, REASON);
      const tooLong = setTimeout(() => socket.terminate(), CLOSE_MS);
      socket.once('close', () => clearTimeout(tooLong));
    }
  }
}
