import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A wire that a test can cut: stands between Corridor and one of its servers. */
export interface TcpProxy {
  host: string;
  port: number;
  /** Breaks every connection, and new ones as soon as they are made: the server is down. */
  cut: () => void;
  /** Takes connections and bytes, and passes nothing on: the server, or the network, hangs. */
  freeze: () => void;
  mend: () => void;
  /** Breaks every connection; new ones go to a server on another port of the same host. */
  moveTo: (port: number) => void;
  close: () => Promise<void>;
}

export async function startTcpProxy(targetHost: string, firstPort: number): Promise<TcpProxy> {
  let targetPort = firstPort;
  let state: 'open' | 'cut' | 'frozen' = 'open';
  const sockets = new Set<Socket>();
  const drop = () => sockets.forEach((socket) => void socket.destroy());
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // A broken pipe is what this proxy is for.
    socket.on('error', () => socket.destroy());
  };

  const server = createServer((client) => {
    track(client);
    if (state === 'cut') return client.destroy();
    const upstream = connect(targetPort, targetHost);
    track(upstream);
    client.on('data', (chunk) => void (state === 'open' && upstream.write(chunk)));
    upstream.on('data', (chunk) => void (state === 'open' && client.write(chunk)));
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    cut: () => {
      state = 'cut';
      drop();
    },
    freeze: () => {
      state = 'frozen';
    },
    mend: () => {
      // What went through a frozen wire has lost bytes: start afresh.
      if (state === 'frozen') drop();
      state = 'open';
    },
    moveTo: (port) => {
      targetPort = port;
      state = 'open';
      drop();
    },
    close: () =>
      new Promise((resolve) => {
        drop();
        server.close(() => resolve());
      }),
  };
}
