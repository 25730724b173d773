import pg from 'pg';
import type { Logger } from 'pino';

const CHANNEL = 'corridor_outcome';
/** A NOTIFY payload holds 8,000 bytes; a UUID and its comma are 37. */
const IDS_PER_NOTIFICATION = 200;
const RECONNECT_MS = 1_000;

/**
 * Carries the ids of requests whose outcome has been committed from the workers to the API processes that wait
 * for them. A hint and nothing more: whoever waits also looks by itself now and then.
 */
export interface OutcomeChannel {
  /** Called after the commit. Never waits and never fails. */
  announce: (requestId: string) => void;
  onAnnounced: (listener: (requestIds: string[]) => void) => void;
  close: () => Promise<void>;
}

/**
 * One connection of its own for LISTEN and NOTIFY. Ids are sent in batches and outside the business transactions:
 * a NOTIFY inside those would make every commit of the database wait for one lock.
 */
export function openOutcomeChannel(databaseUrl: string, log: Logger): OutcomeChannel {
  const listeners: ((requestIds: string[]) => void)[] = [];
  let unsent: string[] = [];
  let sending = false;
  let closed = false;
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  const tell = (ids: string[]) => listeners.forEach((listener) => void listener(ids));

  void connect();
  return {
    announce: (requestId) => {
      // Within this process the announcement is a function call; other processes are told by the database.
      tell([requestId]);
      unsent.push(requestId);
      void send();
    },
    onAnnounced: (listener) => listeners.push(listener),
    close: async () => {
      closed = true;
      clearTimeout(retry);
      await client?.end();
    },
  };

  async function connect() {
    const next = new pg.Client({
      connectionString: databaseUrl,
      keepAlive: true,
      connectionTimeoutMillis: 2_500,
    });
    next.on('notification', ({ payload }) => tell(payload?.split(',') ?? []));
    next.on('error', (error) => log.warn({ err: error }, 'outcome channel lost its connection'));
    next.once('end', reconnect);
    try {
      await next.connect();
      await next.query(`listen ${CHANNEL}`);
      client = next;
      if (closed) await next.end();
    } catch (error) {
      log.warn({ err: error }, 'outcome channel cannot connect');
      next.removeListener('end', reconnect);
      await next.end().catch(() => log.debug('the failed connection was closed already'));
      reconnect();
    }
  }

  function reconnect() {
    client = undefined;
    if (!closed) retry = setTimeout(() => void connect(), RECONNECT_MS);
  }

  async function send() {
    if (sending) return;
    sending = true;
    while (client && unsent.length > 0) {
      const batch = unsent.slice(0, IDS_PER_NOTIFICATION);
      unsent = unsent.slice(IDS_PER_NOTIFICATION);
      await client.query('select pg_notify($1, $2)', [CHANNEL, batch.join(',')]).catch((error) => {
        log.warn(
          { err: error, lost: batch.length },
          'outcome hints were not sent; the waiting will look by themselves',
        );
      });
    }
    // Without a connection hints go nowhere; keeping them would only grow memory.
    if (!client) unsent = [];
    sending = false;
  }
}
