import { randomInt } from 'node:crypto';
import { mkdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { cacheFolder } from './cache-folder.ts';
import { StartupError } from './startup-error.ts';

/** `fetch` and browsers refuse some ports, 10080 as the highest: https://fetch.spec.whatwg.org/#port-blocking */
export const LOWEST_PORT = 10_081;
/** Above it, operating systems assign ports to clients, so a connection could take one before its server listens. */
const HIGHEST_PORT = 32_767;
const ATTEMPTS = 100;
/** Longer than a start takes until it listens. */
const RESERVED_MS = 120_000;
const RESERVATIONS = join(cacheFolder(process.env), 'ports');

/**
 * Returns a random port that is free at this moment. For two minutes this function gives it to no other process on this
 * machine.
 */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT + 1);
    const error = await failureToListen(port, host);
    if (!error && (await reserve(port))) return port;
    if (attempt === ATTEMPTS) throw error ?? new Error(`${ATTEMPTS} ports were reserved in ${RESERVATIONS}`);
  }
}

/** Keeps a port from other processes for two more minutes, for example while its server is restarted. */
export async function reserveLonger(port: number): Promise<void> {
  const now = new Date();
  // A port that could not be reserved has no file.
  await utimes(join(RESERVATIONS, String(port)), now, now).catch(() => undefined);
}

/**
 * Seconds pass between the choice of a port and the start of its server. Two concurrent starts must not choose the same
 * port.
 */
async function reserve(port: number): Promise<boolean> {
  const file = join(RESERVATIONS, String(port));
  try {
    await mkdir(RESERVATIONS, { recursive: true });
    const earlier = await stat(file).catch(() => undefined);
    if (earlier && Date.now() - earlier.mtimeMs > RESERVED_MS) await rm(file, { force: true });
    await writeFile(file, '', { flag: 'wx' });
    return true;
  } catch (error) {
    // If files cannot be written, such as in a folder of another user, the port is used without a reservation.
    return (error as NodeJS.ErrnoException).code !== 'EEXIST';
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
