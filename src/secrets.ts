import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Config } from './config.ts';

/** The two secrets that an installation has. */
export interface Secrets {
  adminApiKey: string;
  webhookSecret: string;
}

const Stored = z.object({ adminApiKey: z.string(), webhookSecret: z.string() });

/**
 * The secrets from the settings. In development, where they need not be set, they are made once and kept in the
 * data directory, so that the next start has the same ones.
 */
export async function loadSecrets({ adminApiKey, webhookSecret, dataDir }: Config): Promise<Secrets> {
  if (adminApiKey && webhookSecret) return { adminApiKey, webhookSecret };
  const file = join(dataDir, 'secrets.json');
  const kept = (await read(file)) ?? (await create(file));
  return { adminApiKey: adminApiKey ?? kept.adminApiKey, webhookSecret: webhookSecret ?? kept.webhookSecret };
}

async function read(file: string): Promise<Secrets | undefined> {
  const text = await readFile(file, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return text === undefined ? undefined : Stored.parse(JSON.parse(text));
}

/** Two processes that start at once agree: the first to link its secrets into place decides. */
async function create(file: string): Promise<Secrets> {
  const secrets = {
    adminApiKey: `admin_${randomBytes(24).toString('hex')}`,
    webhookSecret: randomBytes(32).toString('hex'),
  };
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  await link(draft, file).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft);
  return (await read(file)) ?? secrets;
}
