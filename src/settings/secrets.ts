import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { StartupError } from '../process/startup-error.ts';
import type { Config } from './config.ts';
import { usingDataDir } from './data-dir.ts';
import { secrets as definitions } from './secret-definitions.ts';
import { nameAt } from './setting.ts';

/** The secrets of an installation, each with the second one that is valid during a rotation. */
export type Secrets = Config['secrets'] & Generated;

const text = z.string().min(1);
const Generated = z.object({ adminApiKey: text, webhookSecret: text, commandSecret: text });
type Generated = z.output<typeof Generated>;

/**
 * The secrets from the settings. In development they are optional. Corridor then generates them once and keeps them in
 * the data directory, so that the next start has the same ones.
 */
export async function loadSecrets({ secrets, dataDir }: Config): Promise<Secrets> {
  const { adminApiKey, webhookSecret, commandSecret } = secrets;
  if (adminApiKey && webhookSecret && commandSecret)
    return { ...secrets, adminApiKey, webhookSecret, commandSecret };
  const file = join(dataDir, 'secrets.json');
  const kept = await usingDataDir(dataDir, readOrCreate(file));
  const used = {
    ...secrets,
    adminApiKey: adminApiKey ?? kept.adminApiKey,
    webhookSecret: webhookSecret ?? kept.webhookSecret,
    commandSecret: commandSecret ?? kept.commandSecret,
  };
  refuseWeak(used, file);
  return used;
}

/** People write a new value into the file by hand, so it keeps the rules of the settings. No message contains the value. */
function refuseWeak(used: Secrets, file: string): void {
  const faults = definitions.safeParse(used).error?.issues.map(({ path, message }) => {
    const name = nameAt(definitions, path);
    return name === undefined ? message : `${name} ${message}`;
  });
  if (faults)
    throw new StartupError(
      `The secrets in ${file} are not usable: ${faults.join('; ')}. Write other values there. Remove the file only if you want all secrets to be new.`,
    );
}

const NAMES = {
  adminApiKey: 'ADMIN_API_KEY',
  webhookSecret: 'WEBHOOK_SECRET',
  commandSecret: 'COMMAND_SECRET',
};

/** Where the secrets of a Corridor are that another process has started, so they are read and never created. */
export interface RunningSecret {
  value: string;
  /** The setting or the file that has it. */
  source: string;
}

/**
 * A secret of the Corridor that runs with these settings, for a command beside it. Rejects with a StartupError that names the
 * folder if neither a setting nor the folder has it: a new secret would be another one than that of the running Corridor.
 */
export async function runningSecret(
  name: keyof Generated,
  { secrets, dataDir }: Config,
): Promise<RunningSecret> {
  const set = secrets[name];
  if (set !== undefined) return { value: set, source: NAMES[name] };
  const file = resolve(dataDir, 'secrets.json');
  const kept = await usingDataDir(dataDir, read(file));
  if (kept) return { value: kept[name], source: file };
  throw new StartupError(
    `${NAMES[name]} is not set, and DATA_DIR (${resolve(dataDir)}) has no secrets.json. Set DATA_DIR to the folder that the running Corridor was started with, or set ${NAMES[name]}.`,
  );
}

const readOrCreate = async (file: string): Promise<Generated> => (await read(file)) ?? (await create(file));

async function read(file: string): Promise<Generated | undefined> {
  const text = await readFile(file, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const { data, error } = Generated.safeParse(parsed(text));
  if (data) return data;
  const missing = error.issues.map(({ path }) => path.join('.') || 'valid JSON').join(', ');
  throw new StartupError(`${file} lacks ${missing}. Restore it, or remove it to start with new secrets.`);
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** If two processes start at the same time, both use the secrets of the one that links its file first. */
async function create(file: string): Promise<Generated> {
  const secrets = {
    adminApiKey: `admin_${randomBytes(24).toString('hex')}`,
    webhookSecret: randomBytes(32).toString('hex'),
    commandSecret: randomBytes(32).toString('hex'),
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
