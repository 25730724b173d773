import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
  const stored = await readFile(file, 'utf8').catch(() => undefined);
  const kept = stored === undefined ? await create(file) : Stored.parse(JSON.parse(stored));
  return { adminApiKey: adminApiKey ?? kept.adminApiKey, webhookSecret: webhookSecret ?? kept.webhookSecret };
}

async function create(file: string): Promise<Secrets> {
  const secrets = {
    adminApiKey: `admin_${randomBytes(24).toString('hex')}`,
    webhookSecret: randomBytes(32).toString('hex'),
  };
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  return secrets;
}
