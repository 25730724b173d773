import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from '../src/settings/config.ts';
import { usingDataDir } from '../src/settings/data-dir.ts';

/** `npm run listen` writes its URL to this file, so that `npm run trigger` finds it. */
const noteOf = ({ dataDir }: Config) => join(dataDir, 'listen.json');
const Note = z.object({ url: z.url() });

/** Writes the note. Returns a function that removes it, unless another listener has overwritten it. */
export async function recordListener(config: Config, url: string): Promise<() => Promise<void>> {
  await usingDataDir(config.dataDir, writeNote(config, url));
  return async () => {
    if ((await readNote(config)) === url) await rm(noteOf(config), { force: true });
  };
}

async function writeNote(config: Config, url: string): Promise<void> {
  await mkdir(config.dataDir, { recursive: true });
  await writeFile(noteOf(config), `${JSON.stringify({ url })}\n`);
}

/** The URL of the listener that runs now; undefined if none does. */
export async function findListener(config: Config): Promise<string | undefined> {
  const url = await readNote(config);
  return url !== undefined && (await acceptsConnections(url)) ? url : undefined;
}

async function readNote(config: Config): Promise<string | undefined> {
  const text = await readFile(noteOf(config), 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return text === undefined ? undefined : Note.parse(JSON.parse(text)).url;
}

/** Whether something listens at the host and port of a URL. */
export function acceptsConnections(url: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  const defaultPort = protocol === 'https:' ? 443 : 80;
  return new Promise((resolve) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || defaultPort });
    const finish = (isAccepted: boolean) => () => {
      socket.destroy();
      resolve(isAccepted);
    };
    socket.setTimeout(3_000, finish(false));
    socket.once('connect', finish(true));
    socket.once('error', finish(false));
  });
}
