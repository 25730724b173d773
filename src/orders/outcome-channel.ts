import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import type { OrderStatus } from '../domain/order-state.ts';
import { outsideTraces } from '../process/tracing/tracing.ts';

const CHANNEL = 'corridor_outcome';
/**
 * Announced instead of a request id when an order is created. No request waits for it, but it makes the order feed read
 * again.
 */
export const ORDER_CREATED = 'order-created';
/** What a process sends when it begins to listen. Each other process answers with a heartbeat. */
const HELLO = 'hello';
const HEARTBEAT = 'heartbeat';
/** A NOTIFY payload holds 8,000 bytes. A UUID, a status and their separators take at most 58. */
const PER_NOTIFICATION = 130;
const RECONNECT_MS = 1_000;
/** How often to check the connection, which also shows other processes that this one listens. */
const HEARTBEAT_MS = 10_000;
/** Another process that has sent nothing for so long no longer listens. */
const SILENT_AFTER_MS = 3 * HEARTBEAT_MS;
const QUERY_TIMEOUT_MS = 4_000;

/** A request whose outcome is committed. */
export interface Announcement {
  requestId: string;
  /** The order's status after the step that carried the request out. Undefined: the outcome has to be read. */
  applied?: OrderStatus | undefined;
}

/**
 * Announces the requests whose outcome is committed. Workers announce them to the API processes that wait. An
 * announcement can be lost, so the waiting side also polls.
 */
export interface OutcomeChannel {
  /** Call after the commit. Never waits and never fails. */
  announce: (announcement: Announcement) => void;
  onAnnounced: (listener: (announcements: Announcement[]) => void) => void;
  close: () => Promise<void>;
}

/**
 * Opens one connection for LISTEN and NOTIFY. Announcements are sent in batches, outside the business transactions: a NOTIFY
 * inside those would make every commit of the database wait for one lock. Nothing is sent while no other process listens.
 */
export function openOutcomeChannel(databaseUrl: string, log: Logger): OutcomeChannel {
  const listeners: ((announcements: Announcement[]) => void)[] = [];
  const closing = new AbortController();
  let unsent: Announcement[] = [];
  let isSending = false;
  let connected: pg.Client | undefined;
  let heardOthersAt = Number.NEGATIVE_INFINITY;
  const hasOthers = () => performance.now() - heardOthersAt < SILENT_AFTER_MS;
  const notifyListeners = (announcements: Announcement[]) => {
    for (const listener of listeners) listener(announcements);
  };
  const connecting = stayConnected();

  return {
    announce: (announcement) => {
      outsideTraces(() => {
        // Listeners in this process are called directly. The database notifies the other processes.
        notifyListeners([announcement]);
        if (!hasOthers()) return;
        unsent.push(announcement);
        void sendAll();
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
      await session().catch((error) => {
        // Closing also ends a connection that is being made, which is no failure.
        const level = closing.signal.aborted ? 'debug' : 'warn';
        log[level]({ err: error }, 'the outcome channel has no connection');
      });
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
    const end = () =>
      client.end().catch((error) => log.debug({ err: error }, 'the connection was closed already'));
    const sendHeartbeat = () => send(client, HEARTBEAT).catch(end);
    let ownPid: number | undefined;
    client.on('notification', ({ processId, payload }) => {
      if (processId === ownPid || payload === undefined) return;
      heardOthersAt = performance.now();
      if (payload === HELLO) void sendHeartbeat();
      else if (payload !== HEARTBEAT) notifyListeners(payload.split(',').map(parse));
    });
    let heartbeat: NodeJS.Timeout | undefined;
    closing.signal.addEventListener('abort', end, { once: true });
    try {
      // A connection that is closed while it is being made ends, but then `connect` itself never settles.
      await Promise.race([client.connect(), lost]);
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      ownPid = rows[0]?.pid;
      await client.query(`listen ${CHANNEL}`);
      await send(client, HELLO);
      connected = client;
      heartbeat = setInterval(sendHeartbeat, HEARTBEAT_MS);
      await lost;
    } finally {
      connected = undefined;
      clearInterval(heartbeat);
      closing.signal.removeEventListener('abort', end);
      await end();
    }
  }

  async function sendAll(): Promise<void> {
    if (isSending) return;
    isSending = true;
    while (connected && unsent.length > 0) {
      const batch = unsent.slice(0, PER_NOTIFICATION);
      unsent = unsent.slice(PER_NOTIFICATION);
      await send(connected, batch.map(format).join(',')).catch((error) =>
        log.warn(
          { err: error, announcements: batch.length },
          'announcements were lost; the waiting processes will poll',
        ),
      );
    }
    // Without a connection, announcements reach nobody, and keeping them would only use memory.
    if (!connected) unsent = [];
    isSending = false;
  }
}

const send = (client: pg.Client, payload: string) =>
  client.query('select pg_notify($1, $2)', [CHANNEL, payload]);

const format = ({ requestId, applied }: Announcement): string =>
  applied === undefined ? requestId : `${requestId}=${applied}`;

/** During an update, a process of another release may name a status that this one does not know. It goes into the response. */
function parse(text: string): Announcement {
  const [requestId = '', applied] = text.split('=');
  return { requestId, applied: applied as OrderStatus | undefined };
}
