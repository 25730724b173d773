import { z } from 'zod';
import type { S3Bucket } from './adapters/receipts-s3.ts';
import { MAX_FEE_BPS } from './domain/collateral.ts';
import type { StageDurations } from './domain/order-state.ts';
import { StartupError } from './embedded/free-port.ts';

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const LONGEST_MS = 365 * UNITS.d;

const duration = (byDefault: string) =>
  z
    .string()
    .default(byDefault)
    .transform((text, ctx) => {
      const [, amount, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(text) ?? [];
      const ms = Number(amount) * UNITS[(unit ?? 'ms') as keyof typeof UNITS];
      if (ms >= 1 && ms <= LONGEST_MS) return ms;
      ctx.addIssue(`must be a duration such as 500ms, 15m or 24h, not "${text}"`);
      return z.NEVER;
    });

const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
const port = z.coerce.number().int().min(1).max(65_535);
const wholeNumber = (max: number) => z.coerce.number().int().min(0).max(max);
const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  );

const S3_SETTINGS = {
  RECEIPTS_S3_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  RECEIPTS_S3_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket')
    .optional(),
  RECEIPTS_S3_REGION: z.string().optional(),
  RECEIPTS_S3_ACCESS_KEY_ID: z.string().optional(),
  RECEIPTS_S3_SECRET_ACCESS_KEY: z.string().optional(),
};

/** Every setting, by the name of its environment variable. The README's table says the same in words. */
const Settings = z.object({
  NODE_ENV: z.string().default('development'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(8080),
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  DATA_DIR: z.string().default('.data'),
  DATABASE_URL: z.string().startsWith('postgres').optional(),
  DATABASE_POOL_SIZE: z.coerce.number().int().min(2).max(500).default(20),
  TEMPORAL_ADDRESS: z.string().optional(),
  TEMPORAL_NAMESPACE: z.string().default('corridor'),
  TEMPORAL_UI_PORT: port.default(8233),
  TEMPORAL_UI_URL: z.url().optional(),
  ADMIN_API_KEY: z.string().min(16, 'must have at least 16 characters').optional(),
  WEBHOOK_SECRET: z.string().min(16, 'must have at least 16 characters').optional(),
  WEBHOOK_ALLOW_PRIVATE: flag.optional(),
  CORS_ORIGINS: list,
  LP_AUTO_APPROVE: flag.optional(),
  SANDBOX: flag.optional(),
  PLATFORM_FEE_BPS: wholeNumber(MAX_FEE_BPS).default(50),
  PAY_RATE_LIMIT: wholeNumber(100_000).default(30),
  TRUST_PROXY_HOPS: wholeNumber(10).default(0),
  CLAIM_TIMEOUT: duration('15m'),
  FIAT_TIMEOUT: duration('30m'),
  CONFIRM_TIMEOUT: duration('24h'),
  SETTLE_TIMEOUT: duration('24h'),
  VERIFY_TIMEOUT: duration('24h'),
  ...S3_SETTINGS,
});

/** Settings as the program uses them: everything decided, nothing left to look up. */
export interface Config {
  production: boolean;
  logLevel: string;
  host: string;
  port: number;
  publicUrl: string;
  dataDir: string;
  databaseUrl: string | undefined;
  databasePoolSize: number;
  temporalAddress: string | undefined;
  temporalNamespace: string;
  temporalUiPort: number;
  temporalUiUrl: string | undefined;
  /** Undefined in development when not set: `src/secrets.ts` then makes and keeps them. */
  adminApiKey: string | undefined;
  webhookSecret: string | undefined;
  webhookAllowPrivate: boolean;
  corsOrigins: string[];
  lpAutoApprove: boolean;
  sandbox: boolean;
  platformFeeBps: number;
  /** POST /api/v1/pay per 60 s and client IP; 0: no limit. */
  payRateLimit: number;
  trustProxyHops: number;
  durations: StageDurations;
  /** Where receipts are kept; undefined: in DATA_DIR. */
  receiptsS3: S3Bucket | undefined;
}

/** Reads the settings; every mistake in them is named in one StartupError. An empty variable counts as not set. */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()));
  const parsed = Settings.safeParse(given);
  const faults = (parsed.error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}`);
  const missing = ['ADMIN_API_KEY', 'WEBHOOK_SECRET'].filter(
    (name) => given.NODE_ENV === 'production' && given[name] === undefined,
  );
  if (missing.length > 0) faults.push(`in production ${missing.join(' and ')} must be set`);
  const s3Missing = Object.keys(S3_SETTINGS).filter((name) => given[name] === undefined);
  if (s3Missing.length > 0 && s3Missing.length < Object.keys(S3_SETTINGS).length)
    faults.push(`receipts in S3 need ${s3Missing.join(', ')} too`);
  if (!parsed.success || faults.length > 0) {
    throw new StartupError(
      `The settings are not usable: ${faults.join('; ')}. See "Settings" in the README.`,
    );
  }
  const s = parsed.data;
  const production = s.NODE_ENV === 'production';
  const sandbox = s.SANDBOX ?? !production;
  if (!sandbox) {
    throw new StartupError('No chain is configured: set SANDBOX=true to run on the simulated chain.');
  }
  return {
    production,
    logLevel: s.LOG_LEVEL,
    host: s.HOST,
    port: s.PORT,
    publicUrl: (s.PUBLIC_URL ?? `http://${s.HOST.includes(':') ? `[${s.HOST}]` : s.HOST}:${s.PORT}`).replace(
      /\/$/,
      '',
    ),
    dataDir: s.DATA_DIR,
    databaseUrl: s.DATABASE_URL,
    databasePoolSize: s.DATABASE_POOL_SIZE,
    temporalAddress: s.TEMPORAL_ADDRESS,
    temporalNamespace: s.TEMPORAL_NAMESPACE,
    temporalUiPort: s.TEMPORAL_UI_PORT,
    temporalUiUrl: s.TEMPORAL_UI_URL,
    adminApiKey: s.ADMIN_API_KEY,
    webhookSecret: s.WEBHOOK_SECRET,
    webhookAllowPrivate: s.WEBHOOK_ALLOW_PRIVATE ?? !production,
    corsOrigins: s.CORS_ORIGINS,
    lpAutoApprove: s.LP_AUTO_APPROVE ?? !production,
    sandbox,
    platformFeeBps: s.PLATFORM_FEE_BPS,
    payRateLimit: s.PAY_RATE_LIMIT,
    trustProxyHops: s.TRUST_PROXY_HOPS,
    durations: {
      claim: s.CLAIM_TIMEOUT,
      fiat: s.FIAT_TIMEOUT,
      confirm: s.CONFIRM_TIMEOUT,
      settle: s.SETTLE_TIMEOUT,
      verify: s.VERIFY_TIMEOUT,
    },
    receiptsS3: s3From(s),
  };
}

function s3From(s: z.output<typeof Settings>): S3Bucket | undefined {
  const { RECEIPTS_S3_ENDPOINT: endpoint, RECEIPTS_S3_BUCKET: bucket, RECEIPTS_S3_REGION: region } = s;
  const { RECEIPTS_S3_ACCESS_KEY_ID: accessKeyId, RECEIPTS_S3_SECRET_ACCESS_KEY: secretAccessKey } = s;
  if (!endpoint || !bucket || !region || !accessKeyId || !secretAccessKey) return undefined;
  return { endpoint: endpoint.replace(/\/+$/, ''), bucket, region, accessKeyId, secretAccessKey };
}
