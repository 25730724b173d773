import { WebSocket } from 'ws';
import type { FeedMessage } from './contract.ts';

export interface SocketOptions {
  url: URL;
  key: string;
  /** For the socket to open, in milliseconds. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** With so many messages not taken, no more are read: the service waits, or cuts off and is resumed from. */
const MOST_WAITING = 1_000;
/** Until the service's first message says how often it pings. */
const FIRST_HEARTBEAT_MS = 30_000;
/** Without a sign of life for this many heartbeats, the line is dead. */
const HEARTBEATS_MISSED = 2.5;
/** For an orderly end. */
const GOODBYE_MS = 1_000;

/**
 * What the service says on one socket, until that ends. A socket that cannot be opened says nothing, and neither that nor a
 * line that breaks is an error: `ended` is told why.
 */
export async function* socketMessages(
  { url, key, timeoutMs, signal }: SocketOptions,
  ended: (why: Error | undefined) => void,
): AsyncGenerator<FeedMessage, void> {
  // In a header, since addresses stand in the logs of those in between.
  const socket = new WebSocket(url, {
    headers: { authorization: `Bearer ${key}` },
    handshakeTimeout: timeoutMs,
    perMessageDeflate: false,
  });
  const waiting: string[] = [];
  let wake = () => {};
  let closed = false;
  let failure: Error | undefined;
  let heartbeatMs = FIRST_HEARTBEAT_MS;
  let watch: NodeJS.Timeout | undefined;
  const alive = () => {
    clearTimeout(watch);
    watch = setTimeout(silent, heartbeatMs * HEARTBEATS_MISSED);
  };
  const silent = () => {
    // Not read from, it cannot be heard.
    if (socket.isPaused) return alive();
    failure = new Error('The service has not been heard of for some time');
    socket.terminate();
  };
  const abort = () => {
    waiting.length = 0;
    closed = true;
    socket.terminate();
    wake();
  };

  socket.on('open', alive);
  socket.on('ping', alive);
  socket.on('message', (data) => {
    alive();
    waiting.push(String(data));
    if (waiting.length >= MOST_WAITING) socket.pause();
    wake();
  });
  socket.on('error', (error) => {
    failure ??= error;
  });
  socket.on('close', (code, reason) => {
    closed = true;
    failure ??= new Error(`The socket was closed: ${code} ${reason}`.trim());
    wake();
  });
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();

  try {
    for (;;) {
      const text = waiting.shift();
      if (text !== undefined) {
        const message = messageIn(text);
        if (!message) {
          failure = new Error('What was said on the socket is not of this service');
          return;
        }
        if (message.type === 'hello') {
          heartbeatMs = message.heartbeat_ms;
          alive();
        }
        if (socket.isPaused && waiting.length === 0) socket.resume();
        yield message;
      } else if (closed) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    clearTimeout(watch);
    signal?.removeEventListener('abort', abort);
    if (!closed) {
      socket.close();
      setTimeout(() => socket.terminate(), GOODBYE_MS).unref();
    }
    ended(failure);
  }
}

function messageIn(text: string): FeedMessage | undefined {
  try {
    const message = JSON.parse(text);
    return typeof message?.type === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}
