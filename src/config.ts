import { z } from 'zod';
import type { S3Bucket } from './adapters/receipts-s3.ts';
import { type ChainSettings, readChains } from './chain-config.ts';
import { type CrashPlan, readCrashPlan } from './crash-point.ts';
import { MAX_FEE_BPS } from './domain/collateral.ts';
import { LONGEST_COOL_DOWN_MS } from './domain/cool-down.ts';
import { LONGEST_MS, parseDuration } from './domain/duration.ts';
import type { StageDurations } from './domain/order-state.ts';
import { StartupError } from './embedded/free-port.ts';

const duration = (byDefault: string, leastMs = 1, mostMs = LONGEST_MS) =>
  z
    .string()
    .default(byDefault)
    .transform((text, ctx) => {
      const ms = parseDuration(text);
      if (ms === undefined || ms < Math.min(leastMs, 1) || ms > LONGEST_MS)
        ctx.addIssue(`must be a duration such as 500ms, 15m or 24h, not "${text}"`);
      else if (ms < leastMs) ctx.addIssue(`must be at least ${leastMs}ms`);
      else if (ms > mostMs) ctx.addIssue(`must be at most ${mostMs}ms`);
      else return ms;
      return z.NEVER;
    });

const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
const integer = (min: number, max: number) =>
  z
    .string()
    .refine((text) => /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number);
const port = integer(1, 65_535);
const wholeNumber = (max: number) => integer(0, max);
const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  );

const crashPlan = z
  .string()
  .default('')
  .transform((text, ctx) => {
    try {
      return readCrashPlan(text);
    } catch (error) {
      ctx.addIssue(`cannot be read: ${(error as Error).message}`);
      return z.NEVER;
    }
  });

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
  NODE_ENV: z.enum(['development', 'test', 'production']).default('development'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(8080),
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  DATA_DIR: z.string().default('.data'),
  DATABASE_URL: z.string().startsWith('postgres').optional(),
  DATABASE_POOL_SIZE: integer(2, 500).default(20),
  TEMPORAL_ADDRESS: z
    .string()
    .regex(/^[^\s/]+:\d{1,5}$/, 'must be host:port')
    .optional(),
  TEMPORAL_NAMESPACE: z.string().default('corridor'),
  TEMPORAL_UI_PORT: port.default(8233),
  TEMPORAL_UI_URL: z.url().optional(),
  ADMIN_API_KEY: z.string().min(16, 'must have at least 16 characters').optional(),
  WEBHOOK_SECRET: z
    .string()
    .min(16, 'must have at least 16 characters')
    .regex(/^(?!whsec_)|^whsec_([A-Za-z0-9+/]{4})+([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/, {
      error: 'must have base64 after whsec_',
    })
    .optional(),
  WEBHOOK_ALLOW_PRIVATE: flag.optional(),
  CORS_ORIGINS: list,
  LP_AUTO_APPROVE: flag.optional(),
  SANDBOX: flag.optional(),
  PRICE_SOURCE_URL: z.url({ protocol: /^https?$/, error: 'must be an http(s) address' }).optional(),
  PRICE_MAX_AGE: duration('5m'),
  PLATFORM_FEE_BPS: wholeNumber(MAX_FEE_BPS).default(50),
  PAY_RATE_LIMIT: wholeNumber(100_000).default(30),
  REGISTER_RATE_LIMIT: wholeNumber(100_000).default(10),
  UPLOAD_RATE_LIMIT: wholeNumber(100_000).default(30),
  RATES_RATE_LIMIT: wholeNumber(100_000).default(120),
  REDELIVER_RATE_LIMIT: wholeNumber(100_000).default(30),
  AUTO_CLAIM_RATE_LIMIT: wholeNumber(100_000).default(30),
  AUTH_FAILURE_LIMIT: wholeNumber(100_000).default(60),
  RATE_LOCK_TIMEOUT: duration('5m'),
  STRIKE_COOL_DOWN: duration('15m', 0, LONGEST_COOL_DOWN_MS),
  TRUST_PROXY_HOPS: wholeNumber(10).default(0),
  WS_MAX_CONNECTIONS: integer(1, 1_000).default(5),
  CLAIM_TIMEOUT: duration('15m'),
  FIAT_TIMEOUT: duration('30m'),
  CONFIRM_TIMEOUT: duration('24h'),
  SETTLE_TIMEOUT: duration('24h'),
  VERIFY_TIMEOUT: duration('24h'),
  RELEASE_GRACE: duration('2m'),
  // The pulse beats every few seconds: less would see outages where there are none.
  OUTAGE_THRESHOLD: duration('1m', 5_000),
  // Less than a worker has tasks under way at once, which is 40, would have orders push each other out.
  MAX_CACHED_WORKFLOWS: integer(100, 100_000).default(200),
  CRASH_POINTS: crashPlan,
  ...S3_SETTINGS,
});

/** Whether an environment variable is one of Corridor's. */
export const isSetting = (name: string): boolean => name in Settings.shape || name.startsWith('CHAIN_');

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
  /** The chains that payments are really verified on. */
  chains: ChainSettings;
  /** Where prices come from, and how old they may be in milliseconds; undefined: nowhere. */
  prices: { url: string; maxAgeMs: number } | undefined;
  platformFeeBps: number;
  /** POST /api/v1/pay per 60 s and client IP; 0: no limit. */
  payRateLimit: number;
  /** POST /api/lp/register per 60 s and client IP; 0: no limit. */
  registerRateLimit: number;
  /** Receipt uploads per 60 s and LP; 0: no limit. */
  uploadRateLimit: number;
  /** POST /api/v1/rates per 60 s and agent key; 0: no limit. */
  ratesRateLimit: number;
  /** Redeliveries asked for per 60 s and agent key; 0: no limit. */
  redeliverRateLimit: number;
  /** Auto-claim configurations per 60 s and LP; 0: no limit. */
  autoClaimRateLimit: number;
  /** Failed authentications per 60 s and client IP; 0: no limit. */
  authFailureLimit: number;
  /** How long a locked rate holds, in milliseconds. */
  rateLockTimeout: number;
  /** How long an LP cools down after its first strike, in milliseconds; 0: not at all. */
  strikeCoolDown: number;
  trustProxyHops: number;
  /** Connections to the order feed of one LP key, over all processes. */
  wsMaxConnections: number;
  durations: StageDurations;
  /** Milliseconds after its claim in which an LP may give an order back without a strike. */
  releaseGrace: number;
  /** Milliseconds; deadlines move by the length of a longer absence of the service. */
  outageThreshold: number;
  /** Orders whose workflows a worker keeps in its memory between their tasks. */
  maxCachedWorkflows: number;
  /** Where this process is to die, for tests; empty: nowhere. */
  crashPoints: CrashPlan;
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
  if (given.NODE_ENV === 'production' && given.CRASH_POINTS !== undefined)
    faults.push('CRASH_POINTS is for tests, and refused in production');
  const s3Missing = Object.keys(S3_SETTINGS).filter((name) => given[name] === undefined);
  if (s3Missing.length > 0 && s3Missing.length < Object.keys(S3_SETTINGS).length)
    faults.push(`receipts in S3 need ${s3Missing.join(', ')} too`);
  const { chains, faults: chainFaults } = readChains(given);
  faults.push(...chainFaults);
  if (!parsed.success || faults.length > 0) {
    throw new StartupError(
      `The settings are not usable: ${faults.join('; ')}. See "Settings" in the README.`,
    );
  }
  const s = parsed.data;
  const production = s.NODE_ENV === 'production';
  // What is simulated beside real chains must have been asked for: collateral on the one can be withdrawn on the other.
  const sandbox = s.SANDBOX ?? (!production && Object.keys(chains).length === 0);
  if (!sandbox && Object.keys(chains).length === 0) {
    throw new StartupError(
      'No chain is configured: set one up (see "Chains" in the README), or SANDBOX=true to run on simulated chains.',
    );
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
    chains,
    prices: s.PRICE_SOURCE_URL ? { url: s.PRICE_SOURCE_URL, maxAgeMs: s.PRICE_MAX_AGE } : undefined,
    platformFeeBps: s.PLATFORM_FEE_BPS,
    payRateLimit: s.PAY_RATE_LIMIT,
    registerRateLimit: s.REGISTER_RATE_LIMIT,
    uploadRateLimit: s.UPLOAD_RATE_LIMIT,
    ratesRateLimit: s.RATES_RATE_LIMIT,
    redeliverRateLimit: s.REDELIVER_RATE_LIMIT,
    autoClaimRateLimit: s.AUTO_CLAIM_RATE_LIMIT,
    authFailureLimit: s.AUTH_FAILURE_LIMIT,
    rateLockTimeout: s.RATE_LOCK_TIMEOUT,
    strikeCoolDown: s.STRIKE_COOL_DOWN,
    trustProxyHops: s.TRUST_PROXY_HOPS,
    wsMaxConnections: s.WS_MAX_CONNECTIONS,
    durations: {
      claim: s.CLAIM_TIMEOUT,
      fiat: s.FIAT_TIMEOUT,
      confirm: s.CONFIRM_TIMEOUT,
      settle: s.SETTLE_TIMEOUT,
      verify: s.VERIFY_TIMEOUT,
    },
    releaseGrace: s.RELEASE_GRACE,
    outageThreshold: s.OUTAGE_THRESHOLD,
    maxCachedWorkflows: s.MAX_CACHED_WORKFLOWS,
    crashPoints: s.CRASH_POINTS,
    receiptsS3: s3From(s),
  };
}

function s3From(s: z.output<typeof Settings>): S3Bucket | undefined {
  const { RECEIPTS_S3_ENDPOINT: endpoint, RECEIPTS_S3_BUCKET: bucket, RECEIPTS_S3_REGION: region } = s;
  const { RECEIPTS_S3_ACCESS_KEY_ID: accessKeyId, RECEIPTS_S3_SECRET_ACCESS_KEY: secretAccessKey } = s;
  if (!endpoint || !bucket || !region || !accessKeyId || !secretAccessKey) return undefined;
  return { endpoint: endpoint.replace(/\/+$/, ''), bucket, region, accessKeyId, secretAccessKey };
}
