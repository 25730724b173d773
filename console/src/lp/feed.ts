import type { FeedMessage } from './shapes.ts';

export type FeedState = 'connecting' | 'live' | 'broken';

export interface FeedOptions {
  /** Returns the position to resume at; null: start with a snapshot of the open orders. */
  cursor: () => string | null;
  onMessage: (message: FeedMessage) => void;
  onState: (state: FeedState) => void;
}

export interface Feed {
  /** Reconnects immediately, at the position that `cursor` then returns. */
  restart: () => void;
  close: () => void;
}

const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [500, 10_000];

/**
 * Follows the order feed over a WebSocket, and reconnects whenever the socket closes. The
 * session’s cookie opens the socket. Browsers hide why a handshake failed: call another
 * route to find out.
 */
export function openFeed({ cursor, onMessage, onState }: FeedOptions): Feed {
  let current: WebSocket | undefined;
  let pauseMs = FIRST_PAUSE_MS;
  let reconnectTimer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;

  const connect = () => {
    clearTimeout(reconnectTimer);
    const socket = new WebSocket(buildUrl());
    current = socket;
    onState('connecting');
    socket.onmessage = ({ data }) => {
      if (current !== socket) return;
      pauseMs = FIRST_PAUSE_MS;
      onState('live');
      onMessage(JSON.parse(String(data)));
    };
    socket.onclose = () => {
      if (current !== socket || isClosed) return;
      onState('broken');
      // The jitter keeps clients from reconnecting at the same moment after a restart of the service.
      reconnectTimer = setTimeout(connect, pauseMs * (0.5 + Math.random() / 2));
      pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
    };
  };
  const disconnect = () => {
    const socket = current;
    current = undefined;
    socket?.close();
    clearTimeout(reconnectTimer);
  };
  const restart = () => {
    disconnect();
    pauseMs = FIRST_PAUSE_MS;
    connect();
  };
  // A socket does not always notice a lost network.
  const onOffline = () => {
    disconnect();
    onState('broken');
  };
  addEventListener('online', restart);
  addEventListener('offline', onOffline);
  connect();

  return {
    restart,
    close: () => {
      isClosed = true;
      removeEventListener('online', restart);
      removeEventListener('offline', onOffline);
      disconnect();
    },
  };

  function buildUrl(): string {
    const from = cursor();
    const query = from === null ? '' : `?${new URLSearchParams({ cursor: from })}`;
    return `${location.origin.replace(/^http/, 'ws')}/ws/orders${query}`;
  }
}
