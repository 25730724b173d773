import { WebSocket } from 'ws';
import { eventually } from '../../test/support/eventually.ts';

/** Connections to one server, all in this process. */
export interface Sockets {
  /** Waits until `look` returns true. Rejects if a connection failed, because messages may then be missing. */
  until: (look: () => boolean) => Promise<void>;
  close: () => Promise<void>;
}

/** Concurrent handshakes. */
const CONCURRENCY = 20;
const TIMEOUT_MS = 300_000;

/**
 * Opens one connection per path. Resolves when each has received a first message that `begins` accepts; from then on all
 * receive every message. `onMessage` is called with each later message.
 */
export async function openSockets(
  port: number,
  paths: string[],
  begins: RegExp,
  onMessage: (text: string) => void,
): Promise<Sockets> {
  const sockets: WebSocket[] = [];
  const left = [...paths];
  let begun = 0;
  let closing = false;
  let failure: Error | undefined;
  const until = async (look: () => boolean): Promise<void> => {
    await eventually(async () => {
      if (failure) throw failure;
      return look();
    }, TIMEOUT_MS);
  };
  const connectAll = async () => {
    for (let path = left.pop(); path !== undefined; path = left.pop()) await connect(path);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, connectAll));
  await until(() => begun === paths.length);
  return {
    until,
    close: async () => {
      closing = true;
      const open = sockets.filter((socket) => socket.readyState !== socket.CLOSED);
      const closed = open.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
      for (const socket of open) socket.close();
      await Promise.all(closed);
    },
  };

  function connect(path: string): Promise<void> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { perMessageDeflate: false });
    sockets.push(socket);
    let hasBegun = false;
    socket.on('message', (data) => {
      const text = String(data);
      if (hasBegun) return deliver(text);
      hasBegun = begins.test(text);
      if (hasBegun) begun += 1;
    });
    socket.on('close', (code, reason) => {
      if (!closing) failure ??= new Error(`A socket was closed: ${code} ${reason}`);
    });
    return new Promise((resolve, reject) => {
      socket.once('open', resolve).on('error', reject);
    });
  }

  function deliver(text: string): void {
    try {
      onMessage(text);
    } catch (error) {
      failure ??= error as Error;
    }
  }
}
