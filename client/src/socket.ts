import { WebSocket } from 'ws';
import type { FeedMessage } from './contract.ts';

export interface SocketOptions {
  url: URL;
  key: string;
  /** The timeout of the handshake, in milliseconds. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** Reading stops at this many unread messages. The service then waits, or closes the socket, and the feed resumes later. */
const MAX_UNREAD = 1_000;
/** Used until the service's first message contains its heartbeat interval. */
const DEFAULT_HEARTBEAT_MS = 30_000;
/** A socket is dead after this many heartbeat intervals of silence. */
const MAX_SILENT_HEARTBEATS = 2.5;
/** Time for an orderly close. */
const CLOSE_TIMEOUT_MS = 1_000;

/**
 * Yields the service's messages on one socket until it closes. A failed handshake or a broken connection does not throw:
 * the generator ends, and `onEnd` receives the reason.
 */
export async function* socketMessages(
  { url, key, timeoutMs, signal }: SocketOptions,
  onEnd: (why: Error | undefined) => void,
): AsyncGenerator<FeedMessage, void> {
  // The key is in a header, since proxies log URLs.
  const socket = new WebSocket(url, {
    headers: { authorization: `Bearer ${key}` },
    handshakeTimeout: timeoutMs,
    perMessageDeflate: false,
  });
  const unread: string[] = [];
  let wake = () => {};
  let isClosed = false;
  let failure: Error | undefined;
  let heartbeatMs = DEFAULT_HEARTBEAT_MS;
  let silenceTimer: NodeJS.Timeout | undefined;
  const restartSilenceTimer = () => {
    clearTimeout(silenceTimer);
    silenceTimer = setTimeout(onSilence, heartbeatMs * MAX_SILENT_HEARTBEATS);
  };
  const onSilence = () => {
    // A paused socket receives no pings.
    if (socket.isPaused) return restartSilenceTimer();
    failure = new Error('The service has sent nothing for some time');
    socket.terminate();
  };
  const abort = () => {
    unread.length = 0;
    isClosed = true;
    socket.terminate();
    wake();
  };

  socket.on('open', restartSilenceTimer);
  socket.on('ping', restartSilenceTimer);
  socket.on('message', (data) => {
    restartSilenceTimer();
    unread.push(String(data));
    if (unread.length >= MAX_UNREAD) socket.pause();
    wake();
  });
  socket.on('error', (error) => {
    failure ??= error;
  });
  socket.on('close', (code, reason) => {
    isClosed = true;
    failure ??= new Error(`The socket was closed: ${code} ${reason}`.trim());
    wake();
  });
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();

  try {
    for (;;) {
      const text = unread.shift();
      if (text !== undefined) {
        const message = parseMessage(text);
        if (!message) {
          failure = new Error('The socket sent a message that is not from this service');
          return;
        }
        if (message.type === 'hello') {
          heartbeatMs = message.heartbeat_ms;
          restartSilenceTimer();
        }
        if (socket.isPaused && unread.length === 0) socket.resume();
        yield message;
      } else if (isClosed) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    clearTimeout(silenceTimer);
    signal?.removeEventListener('abort', abort);
    if (!isClosed) {
      socket.close();
      setTimeout(() => socket.terminate(), CLOSE_TIMEOUT_MS).unref();
    }
    onEnd(failure);
  }
}

function parseMessage(text: string): FeedMessage | undefined {
  try {
    const message = JSON.parse(text);
    return typeof message?.type === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}
