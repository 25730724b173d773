import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { StartupError } from '../process/startup-error.ts';

/** Systems give ports above these to clients, so that a connection could take one before its server listens. */
const LOWEST = 10_000;
const HIGHEST = 32_767;
const ATTEMPTS = 100;

/** A port that is free at this moment, at random. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const port = randomInt(LOWEST, HIGHEST + 1);
    const error = await failureToListen(port, host);
    if (!error) return port;
    if (attempt === ATTEMPTS) throw error;
  }
}

/** Rejects with a one-line StartupError if the process cannot listen on `port`. */
export async function requireFreePort(port: number, host: string, setting: string): Promise<void> {
  const error = await failureToListen(port, host);
  if (error) throw portError(error, port, host, setting);
}

/** Why a server could not listen on the port of `setting`. */
export function portError(
  { code }: NodeJS.ErrnoException,
  port: number,
  host: string,
  setting: string,
): StartupError {
  const why = code === 'EADDRINUSE' ? 'is taken by another program' : `cannot be used (${code})`;
  return new StartupError(`Port ${port} on ${host} ${why}. Free it, or set ${setting} to another port.`);
}

async function failureToListen(port: number, host: string): Promise<NodeJS.ErrnoException | undefined> {
  const server = createServer();
  const failure = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    server.once('error', resolve);
    server.listen(port, host, () => resolve(undefined));
  });
  if (!failure) await new Promise((resolve) => server.close(resolve));
  return failure;
}
