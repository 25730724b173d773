import { type AddressInfo, connect, createServer } from 'node:net';

/** A proxy before a server, which counts what passes. */
export interface CountingProxy {
  port: number;
  /** Bytes so far, in both directions. */
  bytes: () => number;
  stop: () => void;
}

/** `watch`: returns, for each new connection, what receives the bytes that its client sends. */
export async function startCountingProxy(
  target: { host: string; port: number },
  watch: () => (chunk: Buffer) => void = () => () => undefined,
): Promise<CountingProxy> {
  let bytes = 0;
  const server = createServer((client) => {
    const upstream = connect(target);
    const sent = watch();
    client.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      sent(chunk);
    });
    upstream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.setNoDelay(true);
      from.pipe(to);
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    bytes: () => bytes,
    stop: () => void server.close(),
  };
}
