import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy between Corridor and one of its servers, whose connections a test can break. */
export interface TcpProxy {
  host: string;
  port: number;
  /** Closes every connection, and new ones immediately, as if the server were down. */
  cut: () => void;
  /** Like `cut`, but with RST instead of FIN: data in flight is lost, and both ends get an error. */
  reset: () => void;
  /** Accepts connections and bytes but forwards nothing, as if the server hung. */
  freeze: () => void;
  /** Like `freeze`, but does not forward the end of a connection either, as in a network partition. */
  partition: () => void;
  /** Forwards requests but drops the responses, such as the response to a commit. */
  dropResponses: () => void;
  /** Forwards everything with this delay. */
  slow: (ms: number) => void;
  /** Resolves when this many more chunks have arrived from either side. */
  passes: (chunks: number) => Promise<void>;
  /** Leaves the connections open and silent, as those of a server whose machine is gone. New ones work. */
  abandon: () => void;
  /** Ends the fault. */
  restore: () => void;
  /** Breaks every connection. New ones go to a server on another port of the same host. */
  moveTo: (port: number) => void;
  close: () => Promise<void>;
}

/** Sees each chunk of one connection, and who has sent it. */
export type Watch = (chunk: Buffer, sender: 'client' | 'server') => void;

/** `watch`: makes the watch of each new connection. */
export async function startTcpProxy(
  targetHost: string,
  firstPort: number,
  host = '127.0.0.1',
  watch: () => Watch = () => () => undefined,
): Promise<TcpProxy> {
  let targetPort = firstPort;
  let state: 'open' | 'cut' | 'reset' | 'frozen' | 'partitioned' | 'dropping responses' | 'slow' = 'open';
  let lateMs = 0;
  const sockets = new Set<Socket>();
  const abandoned = new WeakSet<Socket>();
  const drop = () => sockets.forEach((socket) => void socket.destroy());
  const resetAll = () => sockets.forEach((socket) => void socket.resetAndDestroy());
  /** Ends the connections of the fault before: they have lost or delayed bytes. */
  const begin = (fault: typeof state) => {
    if (state !== 'open') drop();
    state = fault;
  };
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // The proxy breaks connections on purpose.
    socket.on('error', () => socket.destroy());
  };

  const counts = new Set<() => void>();
  const pass = (chunk: Buffer, to: Socket) => {
    for (const count of counts) count();
    if (abandoned.has(to)) return;
    if (state === 'open') to.write(chunk);
    // Timers of the same length fire in order, so bytes stay in order.
    else if (state === 'slow') setTimeout(() => to.writable && to.write(chunk), lateMs);
  };

  const server = createServer((client) => {
    track(client);
    if (state === 'cut') return client.destroy();
    if (state === 'reset') return client.resetAndDestroy();
    const upstream = connect(targetPort, targetHost);
    track(upstream);
    const see = watch();
    client.on('data', (chunk: Buffer) => {
      see(chunk, 'client');
      if (state === 'dropping responses') upstream.write(chunk);
      else pass(chunk, upstream);
    });
    upstream.on('data', (chunk: Buffer) => {
      see(chunk, 'server');
      pass(chunk, client);
    });
    client.on('close', () => state !== 'partitioned' && upstream.destroy());
    upstream.on('close', () => state !== 'partitioned' && client.destroy());
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve));

  return {
    host,
    port: (server.address() as AddressInfo).port,
    cut: () => {
      state = 'cut';
      drop();
    },
    reset: () => {
      state = 'reset';
      resetAll();
    },
    freeze: () => begin('frozen'),
    partition: () => begin('partitioned'),
    dropResponses: () => begin('dropping responses'),
    slow: (ms) => {
      lateMs = ms;
      begin('slow');
    },
    passes: (chunks) =>
      new Promise((resolve) => {
        let left = chunks;
        const count = () => {
          left -= 1;
          if (left > 0) return;
          counts.delete(count);
          resolve();
        };
        counts.add(count);
      }),
    abandon: () => {
      for (const socket of sockets) abandoned.add(socket);
      state = 'open';
    },
    restore: () => begin('open'),
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
