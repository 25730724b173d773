import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A wire that a test can cut: stands between Corridor and one of its servers. */
export interface TcpProxy {
  host: string;
  port: number;
  /** Breaks every connection, and new ones as soon as they are made: the server is down. */
  cut: () => void;
  /** Like a cut, but with RST in place of an orderly end: what was on its way is lost, and whoever reads or writes is told so. */
  reset: () => void;
  /** Takes connections and bytes, and passes nothing on: the server, or the network, hangs. */
  freeze: () => void;
  /** Like a freeze, and that one side has gone is not passed on either: the other cannot tell. */
  lose: () => void;
  /** Passes on what is asked, and nothing of what is answered: a commit's answer is lost. */
  swallowAnswers: () => void;
  /** Passes everything on, this much later. */
  slow: (ms: number) => void;
  /** Resolves when this many more pieces have come, from either side. */
  passes: (pieces: number) => Promise<void>;
  mend: () => void;
  /** Breaks every connection; new ones go to a server on another port of the same host. */
  moveTo: (port: number) => void;
  close: () => Promise<void>;
}

export async function startTcpProxy(targetHost: string, firstPort: number): Promise<TcpProxy> {
  let targetPort = firstPort;
  let state: 'open' | 'cut' | 'reset' | 'frozen' | 'lost' | 'deaf' | 'slow' = 'open';
  let lateMs = 0;
  const sockets = new Set<Socket>();
  const drop = () => sockets.forEach((socket) => void socket.destroy());
  const resetAll = () => sockets.forEach((socket) => void socket.resetAndDestroy());
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // A broken pipe is what this proxy is for.
    socket.on('error', () => socket.destroy());
  };

  const counts = new Set<() => void>();
  const pass = (chunk: Buffer, to: Socket) => {
    for (const count of counts) count();
    if (state === 'open') to.write(chunk);
    // Timers of one length go off in their order, so bytes stay in theirs.
    else if (state === 'slow') setTimeout(() => to.writable && to.write(chunk), lateMs);
  };

  const server = createServer((client) => {
    track(client);
    if (state === 'cut') return client.destroy();
    if (state === 'reset') return client.resetAndDestroy();
    const upstream = connect(targetPort, targetHost);
    track(upstream);
    client.on('data', (chunk) => {
      if (state === 'deaf') upstream.write(chunk);
      else pass(chunk, upstream);
    });
    upstream.on('data', (chunk) => pass(chunk, client));
    client.on('close', () => state !== 'lost' && upstream.destroy());
    upstream.on('close', () => state !== 'lost' && client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    cut: () => {
      state = 'cut';
      drop();
    },
    reset: () => {
      state = 'reset';
      resetAll();
    },
    freeze: () => {
      state = 'frozen';
    },
    lose: () => {
      state = 'lost';
    },
    swallowAnswers: () => {
      state = 'deaf';
    },
    slow: (ms) => {
      lateMs = ms;
      state = 'slow';
    },
    passes: (pieces) =>
      new Promise((resolve) => {
        let left = pieces;
        const count = () => {
          left -= 1;
          if (left > 0) return;
          counts.delete(count);
          resolve();
        };
        counts.add(count);
      }),
    mend: () => {
      // What went through a wire at fault has lost bytes, or has them under way: start afresh.
      if (state !== 'open') drop();
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
