import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from '../src/config.ts';

/** Where `npm run listen` says that it listens, for `npm run trigger` to find. */
const noteOf = ({ dataDir }: Config) => join(dataDir, 'listen.json');
const Note = z.object({ url: z.url() });

/** Leaves the note; gives what takes it away again, unless another has taken its place. */
export async function noteListener(config: Config, url: string): Promise<() => Promise<void>> {
  await mkdir(config.dataDir, { recursive: true });
  await writeFile(noteOf(config), `${JSON.stringify({ url })}\n`);
  return async () => {
    if ((await noted(config)) === url) await rm(noteOf(config), { force: true });
  };
}

/** Where somebody listens now; undefined: nowhere. */
export async function listenerOf(config: Config): Promise<string | undefined> {
  const url = await noted(config);
  return url !== undefined && (await answers(url)) ? url : undefined;
}

async function noted(config: Config): Promise<string | undefined> {
  const text = await readFile(noteOf(config), 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return text === undefined ? undefined : Note.parse(JSON.parse(text)).url;
}

/** Whether anything takes connections where a URL leads. */
export function answers(url: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  const standard = protocol === 'https:' ? 443 : 80;
  return new Promise((resolve) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || standard });
    const is = (there: boolean) => () => {
      socket.destroy();
      resolve(there);
    };
    socket.setTimeout(3_000, is(false));
    socket.once('connect', is(true));
    socket.once('error', is(false));
  });
}
