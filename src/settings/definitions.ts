import { z } from 'zod';
import { MAX_FEE_BPS } from '../domain/collateral.ts';
import { MAX_COOL_DOWN_MS } from '../domain/cool-down.ts';
import { MAX_RATE_VALIDITY_MS } from '../domain/rate-check.ts';
import { SAMPLERS } from '../process/tracing/settings.ts';
import { chains } from './chains.ts';
import { explorers } from './explorers.ts';
import { limits } from './limits.ts';
import { oidc } from './oidc.ts';
import { secrets } from './secret-definitions.ts';
import { nameAt, setting } from './setting.ts';
import { temporal } from './temporal.ts';
import {
  choice,
  crashPlan,
  duration,
  flag,
  httpUrl,
  httpUrlWithoutSlash,
  onOrOff,
  origins,
  port,
  ratio,
  webhookSecret,
  wholeNumber,
} from './values.ts';

/** Ten years: laws may ask for records of payments for longer than other settings allow. */
const MAX_RETENTION_MS = 3_650 * 86_400_000;

/** Where Prometheus reads the metrics without a key; undefined: no such port. */
const metrics = z
  .object({
    host: setting('METRICS_HOST', z.string().default('127.0.0.1')),
    port: setting('METRICS_PORT', port.optional()),
  })
  .transform(({ host, port }) => (port === undefined ? undefined : { host, port }));

/** The price source; undefined: none. */
const prices = z
  .object({
    url: setting('PRICE_SOURCE_URL', httpUrl.optional()),
    maxAgeMs: setting('PRICE_MAX_AGE', duration('5m')),
  })
  .transform(({ url, maxAgeMs }) => (url === undefined ? undefined : { url, maxAgeMs }));

/** The resolver of recipients, and the key that signs the questions to it; undefined: none. */
const recipientResolver = z
  .object({
    url: setting('RECIPIENT_RESOLVER_URL', httpUrl.optional()),
    secret: setting('RECIPIENT_RESOLVER_SECRET', webhookSecret.optional()),
  })
  .transform(({ url, secret }, ctx) => {
    if (url !== undefined && secret !== undefined) return { url, secret };
    if (url !== undefined || secret !== undefined)
      ctx.addIssue('RECIPIENT_RESOLVER_URL and RECIPIENT_RESOLVER_SECRET need each other');
    return undefined;
  });

/** How long a session of the console lasts, in milliseconds: without a request, and from the sign-in. */
const session = z.object({
  idle: setting('SESSION_IDLE_TIMEOUT', duration('30m', 60_000)),
  lifetime: setting('SESSION_LIFETIME', duration('12h', 60_000)),
});

/** How long an order may stay in each stage, in milliseconds. */
const durations = z.object({
  claim: setting('CLAIM_TIMEOUT', duration('15m')),
  fiat: setting('FIAT_TIMEOUT', duration('30m')),
  confirm: setting('CONFIRM_TIMEOUT', duration('24h')),
  settle: setting('SETTLE_TIMEOUT', duration('24h')),
  verify: setting('VERIFY_TIMEOUT', duration('24h')),
});

/** Pace of the worker's upkeep jobs, in milliseconds. */
const upkeep = z.object({
  /** Pause between two rounds. */
  interval: setting('UPKEEP_INTERVAL', duration('3s', 100, 86_400_000)),
  /** Upkeep leaves younger changes alone: their workflow may be starting, or their statement may not have ended. */
  settleTime: setting('UPKEEP_SETTLE_TIME', duration('5s')),
  /** Pause between two comparisons of the reserves with what LPs are owed; 0: they are not compared. */
  reserves: setting('RESERVE_CHECK_INTERVAL', duration('1m', 0, 86_400_000)),
});

const postgresUrl = z.string().startsWith('postgres').optional();
/** The URLs of one database, for its three roles. */
const database = z
  .object({
    url: setting('DATABASE_URL', postgresUrl),
    ownerUrl: setting('DATABASE_OWNER_URL', postgresUrl),
    readerUrl: setting('DATABASE_READER_URL', postgresUrl),
  })
  .transform((urls, ctx) => {
    if (urls.url === undefined && (urls.ownerUrl ?? urls.readerUrl) !== undefined)
      ctx.addIssue('DATABASE_OWNER_URL and DATABASE_READER_URL need DATABASE_URL');
    return urls;
  });

/** Undefined: Corridor takes no traces. `tracesUrl` receives traces only; `otlpUrl` is the base address for OTLP. */
const traces = z
  .object({
    tracesUrl: setting('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', httpUrl.optional()),
    otlpUrl: setting('OTEL_EXPORTER_OTLP_ENDPOINT', httpUrlWithoutSlash.optional()),
    serviceName: setting('OTEL_SERVICE_NAME', z.string().default('corridor')),
    sampler: setting('OTEL_TRACES_SAMPLER', choice(SAMPLERS).default('parentbased_always_on')),
    samplingRatio: setting('OTEL_TRACES_SAMPLER_ARG', ratio.default(1)),
  })
  .transform(({ tracesUrl, otlpUrl, ...others }) => {
    const url = tracesUrl ?? (otlpUrl && `${otlpUrl}/v1/traces`);
    return url ? { url, ...others } : undefined;
  });

const s3Bucket = z.object({
  endpoint: setting('RECEIPTS_S3_ENDPOINT', httpUrlWithoutSlash.optional()),
  bucket: setting(
    'RECEIPTS_S3_BUCKET',
    z
      .string()
      .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket')
      .optional(),
  ),
  region: setting('RECEIPTS_S3_REGION', z.string().optional()),
  accessKeyId: setting('RECEIPTS_S3_ACCESS_KEY_ID', z.string().optional()),
  secretAccessKey: setting('RECEIPTS_S3_SECRET_ACCESS_KEY', z.string().optional()),
});

/** The S3 store for receipts. Either all of these settings are set or none; without them, receipts are in DATA_DIR. */
const receiptsS3 = s3Bucket.transform((bucket, ctx) => {
  if (isComplete(bucket)) return bucket;
  const keys = Object.keys(s3Bucket.shape) as (keyof typeof bucket)[];
  const missing = keys.filter((key) => bucket[key] === undefined);
  if (missing.length < keys.length)
    ctx.addIssue(`receipts in S3 need ${missing.map((key) => nameAt(s3Bucket, [key])).join(', ')} too`);
  return undefined;
});

type Complete<Group> = { [Key in keyof Group]-?: NonNullable<Group[Key]> };
const isComplete = <Group extends object>(group: Group): group is Group & Complete<Group> =>
  Object.values(group).every((value) => value !== undefined);

/**
 * Every setting, once: its environment variable, how its text is read, and its place in `Config`.
 * docs/settings.md and docs/chains.md have a row for each, which a test compares with this.
 */
export const definitions = z.object({
  production: setting(
    'NODE_ENV',
    z
      .enum(['development', 'test', 'production'])
      .default('development')
      .transform((mode) => mode === 'production'),
  ),
  logLevel: setting(
    'LOG_LEVEL',
    choice(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  ),
  host: setting('HOST', z.string().default('127.0.0.1')),
  port: setting('PORT', port.default(8080)),
  metrics,
  publicUrl: setting('PUBLIC_URL', httpUrlWithoutSlash.optional()),
  dataDir: setting('DATA_DIR', z.string().default('.data')),
  database,
  databasePoolSize: setting('DATABASE_POOL_SIZE', wholeNumber(2, 500).default(20)),
  temporal,
  temporalUiPort: setting('TEMPORAL_UI_PORT', port.default(8233)),
  temporalUiUrl: setting('TEMPORAL_UI_URL', z.url().optional()),
  explorers: setting('EXPLORER_URLS', explorers),
  secrets,
  webhookAllowPrivate: setting('WEBHOOK_ALLOW_PRIVATE', flag.optional()),
  corsOrigins: setting('CORS_ORIGINS', origins),
  lpAutoApprove: setting('LP_AUTO_APPROVE', flag.optional()),
  sandbox: setting('SANDBOX', flag.optional()),
  chains,
  /** How far a chain's clock may be behind ours, in milliseconds: an older block does not pay. */
  chainClockSkew: setting('PAYMENT_CLOCK_SKEW', duration('15s', 0, 600_000)),
  prices,
  platformFeeBps: setting('PLATFORM_FEE_BPS', wholeNumber(0, MAX_FEE_BPS).default(50)),
  /** How far above the median of a currency's LPs a rate may be and still be quoted, if no reference price is known. */
  rateOutlierBps: setting('RATE_OUTLIER_BPS', wholeNumber(1, 10_000).default(500)),
  /** How long an LP's rate holds by default, in milliseconds. */
  rateValidFor: setting('RATE_VALID_FOR', duration('24h', 1, MAX_RATE_VALIDITY_MS)),
  /** USD: the limit of a new agent key's unsettled orders; 0: none. */
  defaultMaxExposureUsd: setting('DEFAULT_MAX_EXPOSURE_USD', wholeNumber(0, 1_000_000_000).default(10_000)),
  limits,
  session,
  oidc,
  /** Whether a second admin has to approve slashes, payouts, postings, removals of personal data and changes of roles. */
  approvals: setting('APPROVALS', onOrOff),
  /** The operator's corridors; undefined: the built-in ones. */
  corridorsFile: setting('CORRIDORS_FILE', z.string().optional()),
  recipientResolver,
  /** How long a locked rate holds, in milliseconds. */
  rateLockTimeout: setting('RATE_LOCK_TIMEOUT', duration('5m')),
  /** How long an announced deposit can be paid and confirmed, in milliseconds. */
  depositTimeout: setting('DEPOSIT_TIMEOUT', duration('24h')),
  /** How long an LP cools down after its first strike, in milliseconds; 0: no cool-down. */
  strikeCoolDown: setting('STRIKE_COOL_DOWN', duration('15m', 0, MAX_COOL_DOWN_MS)),
  /** How long claims go on with an LP's previous receive address after a change, in milliseconds; 0: not at all. */
  addressHold: setting('ADDRESS_HOLD', duration('0s', 0, 30 * 86_400_000)),
  trustProxyHops: setting('TRUST_PROXY_HOPS', wholeNumber(0, 10).default(0)),
  /** Connections to the order feed of one LP key, over all processes. */
  wsMaxConnections: setting('WS_MAX_CONNECTIONS', wholeNumber(1, 1_000).default(5)),
  durations,
  /** Milliseconds after its claim in which an LP may release an order without a strike. */
  releaseGrace: setting('RELEASE_GRACE', duration('2m')),
  /** How many such releases an LP has within 24 hours. */
  freeReleases: setting('FREE_RELEASES', wholeNumber(0, 1_000_000).default(3)),
  /** Milliseconds in which an LP may report fiat that it has sent, after the key of its order's agent is revoked. */
  revocationGrace: setting('REVOCATION_GRACE', duration('10m')),
  /** Milliseconds after the claim from which the agent may dispute an order whose LP has not reported the fiat. */
  disputeAfter: setting('DISPUTE_AFTER', duration('10m', 0)),
  /** Milliseconds in which an admin has to decide on a frozen order, or on a dispute before the LP has reported the fiat. */
  disputeSla: setting('DISPUTE_SLA', duration('24h')),
  /**
   * If an outage is longer than this, in milliseconds, deadlines move by its length. A chain whose node is away for longer has
   * an incident. The service heartbeat comes every
   * few seconds, so a lower threshold would report false outages.
   */
  outageThreshold: setting('OUTAGE_THRESHOLD', duration('1m', 5_000)),
  /** Whether the workflow of a new order sleeps until somebody claims the order or its deadline passes. */
  orderStart: setting('ORDER_START', choice(['asleep', 'awake']).default('asleep')),
  /** Whether the Temporal UI shows where in its code a workflow waits, and workflow errors have stacks. */
  workflowStacks: setting('WORKFLOW_STACKS', choice(['none', 'full']).default('none')),
  /**
   * The release that this worker belongs to; undefined: none, so it shares the orders with all other workers without a
   * release.
   */
  workerRelease: setting(
    'WORKER_RELEASE',
    z
      .string()
      // Temporal allows these characters, and no shell requires quotes around them.
      .regex(
        /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/,
        'must be letters, digits, dots, hyphens and underscores, 63 at most',
      )
      .optional(),
  ),
  /** The crash points at which this process kills itself in tests; empty: none. */
  crashPoints: setting('CRASH_POINTS', crashPlan),
  upkeep,
  receiptsS3,
  /** Milliseconds after an order's end in which Corridor keeps its personal data; 0: for good. */
  piiRetention: setting('PII_RETENTION', duration('0s', 0, MAX_RETENTION_MS)),
  traces,
});
