import type { FeedMessage } from './shapes.ts';

/** `live`: what happens is told as it happens. */
export type FeedState = 'connecting' | 'live' | 'broken';

export interface FeedOptions {
  key: string;
  /** Where to go on; null: begin with all that is open. */
  cursor: () => string | null;
  onMessage: (message: FeedMessage) => void;
  onState: (state: FeedState) => void;
}

export interface Feed {
  /** Begins anew, at the cursor that is given then. */
  restart: () => void;
  close: () => void;
}

const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [500, 10_000];

/**
 * The order feed over a WebSocket, which is opened again whenever it breaks. A browser cannot send the key in a header
 * here: it stands in the query, as the contract has it. Why a socket was refused is not told to a page either; who needs
 * to know asks another route.
 */
export function openFeed({ key, cursor, onMessage, onState }: FeedOptions): Feed {
  let socket: WebSocket | undefined;
  let pauseMs = FIRST_PAUSE_MS;
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let closed = false;

  const connect = () => {
    clearTimeout(waiting);
    const mine = new WebSocket(address());
    socket = mine;
    onState('connecting');
    mine.onmessage = ({ data }) => {
      if (socket !== mine) return;
      pauseMs = FIRST_PAUSE_MS;
      onState('live');
      onMessage(JSON.parse(String(data)));
    };
    mine.onclose = () => {
      if (socket !== mine || closed) return;
      onState('broken');
      // Not all at the same moment: the service may just have come back.
      waiting = setTimeout(connect, pauseMs * (0.5 + Math.random() / 2));
      pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
    };
  };
  const leave = () => {
    const left = socket;
    socket = undefined;
    left?.close();
    clearTimeout(waiting);
  };
  const restart = () => {
    leave();
    pauseMs = FIRST_PAUSE_MS;
    connect();
  };
  // A line that was cut is not always noticed by the socket.
  const onOffline = () => {
    leave();
    onState('broken');
  };
  addEventListener('online', restart);
  addEventListener('offline', onOffline);
  connect();

  return {
    restart,
    close: () => {
      closed = true;
      removeEventListener('online', restart);
      removeEventListener('offline', onOffline);
      leave();
    },
  };

  function address(): string {
    const query = new URLSearchParams({ lp_key: key });
    const place = cursor();
    if (place !== null) query.set('cursor', place);
    return `${location.origin.replace(/^http/, 'ws')}/ws/orders?${query}`;
  }
}
