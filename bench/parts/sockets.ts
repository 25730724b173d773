import { WebSocket } from 'ws';
import { eventually } from '../../test/support/eventually.ts';

/** Connections to one server, all in this process. */
export interface Sockets {
  close: () => Promise<void>;
}

/** So many handshakes at once. */
const AT_ONCE = 20;

/**
 * Connects once for each path, and resolves when the server has said on every connection what it `begins` with: from
 * then on all of them hear everything. `hear` is called with what comes after that. A connection that is lost is an
 * error, since what it was owed would not be counted.
 */
export async function openSockets(
  port: number,
  paths: string[],
  begins: RegExp,
  hear: (text: string) => void,
): Promise<Sockets> {
  const sockets: WebSocket[] = [];
  const left = [...paths];
  let begun = 0;
  let closing = false;
  const connectAll = async () => {
    for (let path = left.pop(); path !== undefined; path = left.pop()) await connect(path);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, connectAll));
  await eventually(async () => begun === paths.length);
  return {
    close: async () => {
      closing = true;
      const closed = sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
      for (const socket of sockets) socket.close();
      await Promise.all(closed);
    },
  };

  function connect(path: string): Promise<void> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { perMessageDeflate: false });
    sockets.push(socket);
    let hears = false;
    socket.on('message', (data) => {
      const text = String(data);
      if (hears) return hear(text);
      hears = begins.test(text);
      if (hears) begun += 1;
    });
    socket.on('close', (code, reason) => {
      if (!closing) throw new Error(`A socket was closed: ${code} ${reason}`);
    });
    return new Promise((resolve, reject) => {
      socket.once('open', resolve).once('error', reject);
    });
  }
}
