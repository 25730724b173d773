import { z } from 'zod';
import { readCrashPlan } from './crash-point.ts';
import { MAX_FEE_BPS } from './domain/collateral.ts';
import { LONGEST_COOL_DOWN_MS } from './domain/cool-down.ts';
import { LONGEST_MS, parseDuration } from './domain/duration.ts';
import { SAMPLERS } from './tracing/settings.ts';

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

const secret = z.string().min(16, 'must have at least 16 characters');
const webhookSecret = secret.regex(
  /^(?!whsec_)|^whsec_([A-Za-z0-9+/]{4})+([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  { error: 'must have base64 after whsec_' },
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

const httpAddress = z.url({ protocol: /^https?$/, error: 'must be an http(s) address' }).optional();
const share = z
  .string()
  .refine((text) => /^(0|1|[01]?\.\d+)$/.test(text) && Number(text) <= 1, {
    error: 'must be a number from 0 to 1',
  })
  .transform(Number);

/** All of them, or none. */
export const S3_SETTINGS = {
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
export const Settings = z.object({
  NODE_ENV: z.enum(['development', 'test', 'production']).default('development'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(8080),
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: port.optional(),
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
  ADMIN_API_KEY: secret.optional(),
  ADMIN_API_KEY_SECOND: secret.optional(),
  WEBHOOK_SECRET: webhookSecret.optional(),
  WEBHOOK_SECRET_SECOND: webhookSecret.optional(),
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
  MAX_CACHED_WORKFLOWS: integer(100, 100_000).default(100),
  // What Temporal allows, and nothing that would have to be quoted.
  WORKER_RELEASE: z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/,
      'must be letters, digits, dots, hyphens and underscores, 63 at most',
    )
    .optional(),
  CRASH_POINTS: crashPlan,
  OTEL_EXPORTER_OTLP_ENDPOINT: httpAddress,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpAddress,
  OTEL_SERVICE_NAME: z.string().default('corridor'),
  OTEL_TRACES_SAMPLER: z.enum(SAMPLERS).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: share.default(1),
  ...S3_SETTINGS,
});

/** The settings as they were read, by the names of their environment variables. */
export type SettingValues = z.output<typeof Settings>;

/** Whether an environment variable is one of Corridor's. */
export const isSetting = (name: string): boolean => name in Settings.shape || name.startsWith('CHAIN_');
