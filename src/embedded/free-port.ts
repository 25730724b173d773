import { createServer } from 'node:net';
import { StartupError } from '../process/startup-error.ts';

/** A port that is free at this moment. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('The system assigned no TCP port');
  return address.port;
}

/** Rejects with a one-line StartupError if the process cannot listen on `port`. */
export async function requireFreePort(port: number, host: string, setting: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'EADDRINUSE' ? 'is taken by another program' : `cannot be used (${error.code})`;
      reject(new StartupError(`Port ${port} on ${host} ${why}. Free it, or set ${setting} to another port.`));
    });
    server.listen(port, host, resolve);
  });
  await new Promise((resolve) => server.close(resolve));
}
