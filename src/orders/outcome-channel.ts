import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { outsideTraces } from '../tracing/tracing.ts';

const CHANNEL = 'corridor_outcome';
/** Stands for an id where no request waits: a new order, for the feed to look at. */
export const ORDER_CREATED = 'order-created';
/** A NOTIFY payload holds 8,000 bytes; a UUID and its comma are 37. */
const IDS_PER_NOTIFICATION = 200;
const RECONNECT_MS = 1_000;
/** A connection that has silently died is noticed within this time. */
const HEARTBEAT_MS = 10_000;
const ANSWER_WITHIN_MS = 4_000;

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
  const closing = new AbortController();
  let unsent: string[] = [];
  let sending = false;
  let connected: pg.Client | undefined;
  const tell = (ids: string[]) => {
    for (const listener of listeners) listener(ids);
  };
  const stayingConnected = stayConnected();

  return {
    announce: (requestId) => {
      unsent.push(requestId);
      outsideTraces(() => {
        // Within this process the announcement is a function call; other processes are told by the database.
        tell([requestId]);
        void send();
      });
    },
    onAnnounced: (listener) => listeners.push(listener),
    close: async () => {
      closing.abort();
      await stayingConnected;
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

  /** One connection, from its beginning to its end. */
  async function session(): Promise<void> {
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'corridor-outcomes',
      connectionTimeoutMillis: ANSWER_WITHIN_MS,
      query_timeout: ANSWER_WITHIN_MS,
    });
    const lost = new Promise<void>((resolve, reject) => {
      client.on('error', reject);
      client.on('end', resolve);
    });
    // Whoever waits for it comes later; until then a loss must not count as unhandled.
    lost.catch(() => undefined);
    client.on('notification', ({ payload }) => tell(payload?.split(',') ?? []));
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
    if (sending) return;
    sending = true;
    while (connected && unsent.length > 0) {
      const batch = unsent.slice(0, IDS_PER_NOTIFICATION);
      unsent = unsent.slice(IDS_PER_NOTIFICATION);
      await connected
        .query('select pg_notify($1, $2)', [CHANNEL, batch.join(',')])
        .catch((error) =>
          log.warn({ err: error, hints: batch.length }, 'hints were lost; the waiting look by themselves'),
        );
    }
    // Without a connection hints go nowhere; keeping them would only grow memory.
    if (!connected) unsent = [];
    sending = false;
  }
}
