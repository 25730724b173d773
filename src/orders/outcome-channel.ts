import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { outsideTraces } from '../tracing/tracing.ts';

const CHANNEL = 'corridor_outcome';
/**
 * Announced instead of a request id when an order is created. No request waits for it, but it makes the order feed read
 * again.
 */
export const ORDER_CREATED = 'order-created';
/** A NOTIFY payload holds 8,000 bytes. A UUID and its comma take 37. */
const IDS_PER_NOTIFICATION = 200;
const RECONNECT_MS = 1_000;
/** How often to check the connection: one that breaks silently is noticed after this time. */
const HEARTBEAT_MS = 10_000;
const QUERY_TIMEOUT_MS = 4_000;

/**
 * Announces the ids of requests whose outcome is committed. Workers announce them to the API processes that wait. An
 * announcement is only a hint: the waiting side also polls.
 */
export interface OutcomeChannel {
  /** Call after the commit. Never waits and never fails. */
  announce: (requestId: string) => void;
  onAnnounced: (listener: (requestIds: string[]) => void) => void;
  close: () => Promise<void>;
}

/**
 * Opens one connection for LISTEN and NOTIFY. Ids are sent in batches, outside the business transactions: a NOTIFY inside
 * those would make every commit of the database wait for one lock.
 */
export function openOutcomeChannel(databaseUrl: string, log: Logger): OutcomeChannel {
  const listeners: ((requestIds: string[]) => void)[] = [];
  const closing = new AbortController();
  let unsent: string[] = [];
  let isSending = false;
  let connected: pg.Client | undefined;
  const notifyListeners = (ids: string[]) => {
    for (const listener of listeners) listener(ids);
  };
  const connecting = stayConnected();

  return {
    announce: (requestId) => {
      unsent.push(requestId);
      outsideTraces(() => {
        // Listeners in this process are called directly. The database notifies the other processes.
        notifyListeners([requestId]);
        void send();
      });
    },
    onAnnounced: (listener) => listeners.push(listener),
    close: async () => {
      closing.abort();
      await connecting;
    },
  };

  async function stayConnected(): Promise<void> {
    while (!closing.signal.aborted) {
      await session().catch((error) => log.warn({ err: error }, 'the outcome channel has no connection'));
      await delay(RECONNECT_MS, undefined, { signal: closing.signal }).catch(() =>
        log.debug('outcome channel closed'),
      );
    }
  }

  /** Opens one connection, and settles when the connection ends. */
  async function session(): Promise<void> {
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'corridor-outcomes',
      connectionTimeoutMillis: QUERY_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
    });
    const lost = new Promise<void>((resolve, reject) => {
      client.on('error', reject);
      client.on('end', resolve);
    });
    // The code below awaits it. Until then, a lost connection must not count as an unhandled rejection.
    lost.catch(() => undefined);
    client.on('notification', ({ payload }) => notifyListeners(payload?.split(',') ?? []));
    let heartbeat: NodeJS.Timeout | undefined;
    const end = () =>
      client.end().catch((error) => log.debug({ err: error }, 'the connection was closed already'));
    closing.signal.addEventListener('abort', end, { once: true });
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      connected = client;
      heartbeat = setInterval(() => client.query('select 1').catch(end), HEARTBEAT_MS);
      await lost;
    } finally {
      connected = undefined;
      clearInterval(heartbeat);
      closing.signal.removeEventListener('abort', end);
      await end();
    }
  }

  async function send(): Promise<void> {
    if (isSending) return;
    isSending = true;
    while (connected && unsent.length > 0) {
      const batch = unsent.slice(0, IDS_PER_NOTIFICATION);
      unsent = unsent.slice(IDS_PER_NOTIFICATION);
      await connected
        .query('select pg_notify($1, $2)', [CHANNEL, batch.join(',')])
        .catch((error) =>
          log.warn({ err: error, hints: batch.length }, 'hints were lost; the waiting processes will poll'),
        );
    }
    // Without a connection, hints reach nobody, and keeping them would only use memory.
    if (!connected) unsent = [];
    isSending = false;
  }
}
