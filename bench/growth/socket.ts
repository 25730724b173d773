import { WebSocket } from 'ws';

const SOCKET_WITHIN_MS = 60_000;

/** The fields of a feed message that are used here. */
export interface Message {
  type: string;
  order?: { id: number };
}

/** Milliseconds from connecting to the expected message. */
export function listen(
  port: number,
  key: string,
  isExpected: (message: Message) => boolean,
  cursor?: string,
): Promise<number> {
  const began = performance.now();
  const url = new URL(`ws://127.0.0.1:${port}/ws/orders`);
  if (cursor) url.searchParams.set('cursor', cursor);
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${key}` } });
  return new Promise((resolve, reject) => {
    let took: number | undefined;
    const tooLong = setTimeout(() => {
      reject(new Error(`${url.pathname}${url.search}: the expected message did not arrive`));
      socket.terminate();
    }, SOCKET_WITHIN_MS);
    socket.on('message', (data) => {
      if (took !== undefined || !isExpected(JSON.parse(String(data)))) return;
      took = performance.now() - began;
      socket.close();
    });
    socket.on('error', reject);
    socket.on('close', (code) => {
      clearTimeout(tooLong);
      if (took === undefined) reject(new Error(`${url.pathname}${url.search} was closed (${code})`));
      else resolve(took);
    });
  });
}
