import type { S3Bucket } from './adapters/receipts-s3.ts';
import { type ChainSettings, readChains } from './chain-config.ts';
import type { CrashPlan } from './crash-point.ts';
import type { StageDurations } from './domain/order-state.ts';
import { StartupError } from './embedded/free-port.ts';
import { S3_SETTINGS, Settings, type SettingValues } from './settings.ts';
import type { TraceSettings } from './tracing/settings.ts';

/** A host as addresses have it. */
export const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** Settings as the program uses them: everything decided, nothing left to look up. */
export interface Config {
  production: boolean;
  logLevel: string;
  host: string;
  port: number;
  /** Where the metrics are told without a key; undefined: nowhere. */
  metrics: { host: string; port: number } | undefined;
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
  /** Valid beside the first ones, while one replaces the other. */
  secondAdminApiKey: string | undefined;
  secondWebhookSecret: string | undefined;
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
  /** The release that this worker names itself by; undefined: it names none, and takes turns with all others. */
  workerRelease: string | undefined;
  /** Where this process is to die, for tests; empty: nowhere. */
  crashPoints: CrashPlan;
  /** Where receipts are kept; undefined: in DATA_DIR. */
  receiptsS3: S3Bucket | undefined;
  /** Where traces go; undefined: none are taken. */
  traces: TraceSettings | undefined;
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
    metrics: s.METRICS_PORT === undefined ? undefined : { host: s.METRICS_HOST, port: s.METRICS_PORT },
    publicUrl: (s.PUBLIC_URL ?? `http://${hostInUrl(s.HOST)}:${s.PORT}`).replace(/\/$/, ''),
    dataDir: s.DATA_DIR,
    databaseUrl: s.DATABASE_URL,
    databasePoolSize: s.DATABASE_POOL_SIZE,
    temporalAddress: s.TEMPORAL_ADDRESS,
    temporalNamespace: s.TEMPORAL_NAMESPACE,
    temporalUiPort: s.TEMPORAL_UI_PORT,
    temporalUiUrl: s.TEMPORAL_UI_URL,
    adminApiKey: s.ADMIN_API_KEY,
    webhookSecret: s.WEBHOOK_SECRET,
    secondAdminApiKey: s.ADMIN_API_KEY_SECOND,
    secondWebhookSecret: s.WEBHOOK_SECRET_SECOND,
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
    workerRelease: s.WORKER_RELEASE,
    crashPoints: s.CRASH_POINTS,
    receiptsS3: s3From(s),
    traces: tracesFrom(s),
  };
}

/** Of the two addresses the one is that of OTLP as a whole, to which the path is added, the other that of traces itself. */
function tracesFrom(s: SettingValues): TraceSettings | undefined {
  const whole = s.OTEL_EXPORTER_OTLP_ENDPOINT;
  const url = s.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (whole && `${whole.replace(/\/+$/, '')}/v1/traces`);
  if (!url) return undefined;
  const { OTEL_SERVICE_NAME: serviceName, OTEL_TRACES_SAMPLER: sampler } = s;
  return { url, serviceName, sampler, sampledShare: s.OTEL_TRACES_SAMPLER_ARG };
}

function s3From(s: SettingValues): S3Bucket | undefined {
  const { RECEIPTS_S3_ENDPOINT: endpoint, RECEIPTS_S3_BUCKET: bucket, RECEIPTS_S3_REGION: region } = s;
  const { RECEIPTS_S3_ACCESS_KEY_ID: accessKeyId, RECEIPTS_S3_SECRET_ACCESS_KEY: secretAccessKey } = s;
  if (!endpoint || !bucket || !region || !accessKeyId || !secretAccessKey) return undefined;
  return { endpoint: endpoint.replace(/\/+$/, ''), bucket, region, accessKeyId, secretAccessKey };
}
