import { describe, expect, test } from '@jest/globals';
import { StartupError } from '../../src/process/startup-error.ts';
import { loadConfig } from '../../src/settings/config.ts';

const KEY = 'sixteen-letters!';
const PRODUCTION = {
  NODE_ENV: 'production',
  ADMIN_API_KEY: KEY,
  WEBHOOK_SECRET: `${KEY}!`,
  COMMAND_SECRET: `${KEY}?`,
  SANDBOX: 'true',
};

/** The message to the operator when Corridor refuses the settings. */
function refusal(env: Record<string, string>): string {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof StartupError) return error.message;
    throw error;
  }
  throw new Error('the settings were accepted');
}

describe('without any settings', () => {
  // test/unit/settings-document.test.ts compares every other default with its row in docs/settings.md.
  test('Corridor runs on this machine alone, in the sandbox', () => {
    const config = loadConfig({});
    expect(config).toMatchObject({
      ...{ production: false, host: '127.0.0.1', publicUrl: 'http://127.0.0.1:8080' },
      ...{ sandbox: true, webhookAllowPrivate: true, lpAutoApprove: true, chains: {} },
    });
    const { metrics, prices, recipientResolver, receiptsS3, traces } = config;
    expect({ metrics, prices, recipientResolver, receiptsS3, traces }).toEqual({});
    expect(Object.values(config.secrets).every((secret) => secret === undefined)).toBe(true);
  });

  test('metrics are served on this machine only, unless METRICS_HOST names another address', () => {
    expect(loadConfig({ METRICS_PORT: '9464' }).metrics).toEqual({ host: '127.0.0.1', port: 9464 });
    const everywhere = { METRICS_PORT: '9464', METRICS_HOST: '0.0.0.0' };
    expect(loadConfig(everywhere).metrics).toEqual({ host: '0.0.0.0', port: 9464 });
    expect(loadConfig({ METRICS_HOST: '0.0.0.0' }).metrics).toBeUndefined();
    expect(refusal({ METRICS_PORT: '0' })).toContain('METRICS_PORT must be a whole number from 1 to 65535');
  });

  test('a value that is not one of the choices is refused with the choices', () => {
    expect(refusal({ APPROVALS: 'yes' })).toContain('APPROVALS must be one of on, off.');
    expect(refusal({ LOG_LEVEL: 'loud' })).toContain('LOG_LEVEL must be one of trace, debug, info');
  });

  test('an empty variable counts as not set', () => {
    const names = [
      'NODE_ENV',
      'PORT',
      'PUBLIC_URL',
      'ADMIN_API_KEY',
      'SANDBOX',
      'CLAIM_TIMEOUT',
      'CORS_ORIGINS',
    ];
    expect(loadConfig(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(loadConfig({}));
  });
});

describe('a duration', () => {
  test.each([
    ['500ms', 500],
    ['45s', 45_000],
    ['15m', 900_000],
    ['24h', 86_400_000],
    ['7d', 604_800_000],
    ['365d', 31_536_000_000],
  ])('of %s is %d milliseconds', (text, ms) => {
    expect(loadConfig({ CLAIM_TIMEOUT: text }).durations.claim).toBe(ms);
  });

  test.each(['15', '15 m', '15min', '1.5h', '-5m', '0s', '366d', 'm', '1e3s', '99999999999999999999d'])(
    'is not %p',
    (text) => {
      const message = refusal({ VERIFY_TIMEOUT: text });
      expect(message).toContain('VERIFY_TIMEOUT');
      expect(message).toContain(`not "${text}"`);
    },
  );

  test('exists for each stage', () => {
    const { durations } = loadConfig({
      CLAIM_TIMEOUT: '1s',
      FIAT_TIMEOUT: '2s',
      CONFIRM_TIMEOUT: '3s',
      SETTLE_TIMEOUT: '4s',
      VERIFY_TIMEOUT: '5s',
    });
    expect(durations).toEqual({ claim: 1_000, fiat: 2_000, confirm: 3_000, settle: 4_000, verify: 5_000 });
  });
});

test('a chain’s clock may be 15 s behind by default, or not at all', () => {
  expect(loadConfig({}).chainClockSkew).toBe(15_000);
  expect(loadConfig({ PAYMENT_CLOCK_SKEW: '0s' }).chainClockSkew).toBe(0);
  expect(refusal({ PAYMENT_CLOCK_SKEW: '11m' })).toContain('PAYMENT_CLOCK_SKEW must be at most 10m');
});

test('the pauses of work that repeats are at most a day, as a longer timer would fire immediately', () => {
  for (const name of ['UPKEEP_INTERVAL', 'TEMPORAL_RELOAD_INTERVAL', 'RESERVE_CHECK_INTERVAL']) {
    expect(refusal({ [name]: '25d' })).toContain(`${name} must be at most 1d`);
    expect(() => loadConfig({ [name]: '24h' })).not.toThrow();
  }
});

test('the grace period of a release and the outage threshold are separate settings', () => {
  expect(loadConfig({})).toMatchObject({ releaseGrace: 120_000, outageThreshold: 60_000 });
  expect(loadConfig({ RELEASE_GRACE: '1s', OUTAGE_THRESHOLD: '5s' })).toMatchObject({
    releaseGrace: 1_000,
    outageThreshold: 5_000,
  });
  expect(refusal({ OUTAGE_THRESHOLD: '4999ms' })).toContain('OUTAGE_THRESHOLD must be at least 5s');
});

describe('traces', () => {
  test('are off by default, and go to the standard path of an OTLP endpoint', () => {
    expect(loadConfig({ OTEL_SERVICE_NAME: 'payouts' }).traces).toBeUndefined();
    expect(loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' }).traces).toEqual({
      url: 'http://collector:4318/v1/traces',
      serviceName: 'corridor',
      sampler: 'parentbased_always_on',
      samplingRatio: 1,
    });
  });

  test('go to a traces endpoint unchanged, at the configured sampling rate', () => {
    const { traces } = loadConfig({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/in',
      OTEL_SERVICE_NAME: 'payouts',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    });
    expect(traces).toEqual({
      url: 'https://traces.example/in',
      serviceName: 'payouts',
      sampler: 'traceidratio',
      samplingRatio: 0.25,
    });
  });
});

describe('an invalid setting', () => {
  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.1'],
    ['OTEL_TRACES_SAMPLER_ARG', 'half'],
    ['PORT', '0'],
    ['PORT', '65536'],
    ['PORT', '80.5'],
    ['PORT', 'http'],
    ['LOG_LEVEL', 'loud'],
    ['PUBLIC_URL', 'ftp://pay.example'],
    ['PUBLIC_URL', 'pay.example'],
    ['DATABASE_URL', 'mysql://db'],
    ['DATABASE_POOL_SIZE', '1'],
    ['SANDBOX', 'yes'],
    ['PRICE_SOURCE_URL', 'prices.example'],
    ['PRICE_MAX_AGE', '5'],
    ['WEBHOOK_SECRET', 'whsec_this is not base64'],
    ['WEBHOOK_SECRET_SECOND', 'whsec_this is not base64'],
    ['ADMIN_API_KEY_SECOND', 'tooshort'],
    ['REGISTER_RATE_LIMIT', '-1'],
    ['AUTH_FAILURE_LIMIT', 'none'],
    ['RATE_LOCK_TIMEOUT', '5'],
    ['RECIPIENT_RESOLVER_URL', 'ftp://resolver.example'],
    ['RECIPIENT_RESOLVER_URL', 'https://resolver.example'],
    ['RECIPIENT_RESOLVER_SECRET', 'a-secret-without-its-address'],
    ['RECIPIENT_RESOLVER_SECRET', 'tooshort'],
    ['RECIPIENT_CHECK_RATE_LIMIT', '-1'],
    ['RATES_RATE_LIMIT', '-1'],
    ['REDELIVER_RATE_LIMIT', 'x'],
    ['AUTO_CLAIM_RATE_LIMIT', '1.5'],
    ['TERMS_RATE_LIMIT', '-1'],
    ['TERMS_READ_RATE_LIMIT', 'many'],
    ['DASHBOARD_RATE_LIMIT', '0.5'],
    ['STRIKE_COOL_DOWN', '25h'],
    ['STRIKE_COOL_DOWN', 'never'],
    ['PLATFORM_FEE_BPS', '1501'],
    ['PLATFORM_FEE_BPS', '-1'],
    ['RATE_OUTLIER_BPS', '0'],
    ['RATE_OUTLIER_BPS', '10001'],
    ['RATE_VALID_FOR', '0s'],
    ['RATE_VALID_FOR', '25h'],
    ['RATE_VALID_FOR', 'forever'],
    ['PAY_RATE_LIMIT', '2.5'],
    ['DEFAULT_MAX_EXPOSURE_USD', 'none'],
    ['DEFAULT_MAX_EXPOSURE_USD', '-1'],
    ['TRUST_PROXY_HOPS', '11'],
    ['WORKER_RELEASE', 'two words'],
  ])('%s=%s is reported', (name, value) => {
    expect(refusal({ [name]: value })).toContain(name);
  });

  test('is reported together with all the others', () => {
    const message = refusal({ PORT: 'x', LOG_LEVEL: 'loud', FIAT_TIMEOUT: 'soon' });
    for (const name of ['PORT', 'LOG_LEVEL', 'FIAT_TIMEOUT']) expect(message).toContain(name);
  });

  test('is reported without its value if it is a secret', () => {
    const message = refusal({ ADMIN_API_KEY: 'tooshort', WEBHOOK_SECRET: 'alsoshort' });
    expect(message).toContain('ADMIN_API_KEY must have at least 16 characters');
    expect(message).toContain('WEBHOOK_SECRET');
    expect(message).not.toMatch(/tooshort|alsoshort/);
  });
});

describe('receipts in S3', () => {
  const S3 = {
    RECEIPTS_S3_ENDPOINT: 'https://s3.example/',
    RECEIPTS_S3_BUCKET: 'receipts',
    RECEIPTS_S3_REGION: 'eu-1',
    RECEIPTS_S3_ACCESS_KEY_ID: 'id',
    RECEIPTS_S3_SECRET_ACCESS_KEY: 'very-secret',
  };

  test('need all five settings', () => {
    expect(loadConfig(S3).receiptsS3).toEqual({
      endpoint: 'https://s3.example',
      bucket: 'receipts',
      region: 'eu-1',
      accessKeyId: 'id',
      secretAccessKey: 'very-secret',
    });
  });

  test.each(Object.keys(S3))('are required: %s', (name) => {
    const message = refusal({ ...S3, [name]: '' });
    expect(message).toContain(name);
    expect(message).not.toContain('very-secret');
  });

  test.each([
    ['RECEIPTS_S3_ENDPOINT', 's3.example'],
    ['RECEIPTS_S3_BUCKET', 'a/b'],
  ])('%s=%s is reported', (name, value) => {
    expect(refusal({ ...S3, [name]: value })).toContain(name);
  });
});

test('crash points have a name, and a probability or a count', () => {
  expect(loadConfig({ CRASH_POINTS: 'pay.committed:0.25, step.committed:3' }).crashPoints).toEqual(
    new Map([
      ['pay.committed', { probability: 0.25 }],
      ['step.committed', { nth: 3 }],
    ]),
  );
  for (const wrong of ['pay.comitted:1', 'pay.committed', 'pay.committed:0', 'pay.committed:1.5'])
    expect(refusal({ CRASH_POINTS: wrong })).toContain(
      `CRASH_POINTS cannot be read: "${wrong}" is not a crash point`,
    );
});

describe('in production', () => {
  test('Corridor does not start without its three secrets, and names the missing ones', () => {
    const all = refusal({ NODE_ENV: 'production', SANDBOX: 'true' });
    expect(all).toContain('ADMIN_API_KEY, WEBHOOK_SECRET and COMMAND_SECRET');
    const one = refusal({ ...PRODUCTION, WEBHOOK_SECRET: '' });
    expect(one).toContain('WEBHOOK_SECRET');
    expect(one).not.toContain('ADMIN_API_KEY');
  });

  test('simulated chains need SANDBOX=true', () => {
    expect(refusal({ ...PRODUCTION, SANDBOX: '' })).toContain('SANDBOX=true');
    expect(refusal({ SANDBOX: 'false' })).toContain('SANDBOX=true');
  });

  test('refuses crash points', () => {
    expect(refusal({ ...PRODUCTION, CRASH_POINTS: 'pay.committed:1' })).toContain('refused in production');
  });

  test('webhooks do not go to private addresses, and LPs wait for approval', () => {
    const config = loadConfig(PRODUCTION);
    expect(config).toMatchObject({ production: true, webhookAllowPrivate: false, lpAutoApprove: false });
    expect(config.secrets).toMatchObject({
      adminApiKey: KEY,
      webhookSecret: `${KEY}!`,
      commandSecret: `${KEY}?`,
    });
  });

  test('both can be turned on', () => {
    const config = loadConfig({ ...PRODUCTION, WEBHOOK_ALLOW_PRIVATE: 'true', LP_AUTO_APPROVE: 'true' });
    expect(config).toMatchObject({ webhookAllowPrivate: true, lpAutoApprove: true });
  });
});

describe('in development', () => {
  test('webhooks to private addresses and automatic approval can be turned off', () => {
    const config = loadConfig({ WEBHOOK_ALLOW_PRIVATE: 'false', LP_AUTO_APPROVE: 'false' });
    expect(config).toMatchObject({ webhookAllowPrivate: false, lpAutoApprove: false });
  });

  test('links start with the public address, without a trailing slash', () => {
    expect(loadConfig({ PUBLIC_URL: 'https://pay.example/' }).publicUrl).toBe('https://pay.example');
    expect(loadConfig({ HOST: '10.0.0.5', PORT: '9000' }).publicUrl).toBe('http://10.0.0.5:9000');
  });

  test('browser origins are separated by commas, with optional blanks', () => {
    const { corsOrigins } = loadConfig({ CORS_ORIGINS: ' https://a.example , https://b.example,, ' });
    expect(corsOrigins).toEqual(['https://a.example', 'https://b.example']);
  });

  test.each([
    'https://a.example',
    'http://localhost:3000',
    'http://[::1]:3000',
    'https://a.example:8443',
    'capacitor://localhost',
  ])('%s is a browser origin', (origin) => {
    expect(loadConfig({ CORS_ORIGINS: origin }).corsOrigins).toEqual([origin]);
  });

  // No browser sends these, so they would allow no origin.
  test.each([
    'example.com',
    '*',
    'null',
    'https://a.example/',
    'https://a.example/app',
    'https://a.example:443',
    'https://A.example',
    'https://*.example',
    'https://user@a.example',
    'localhost:3000',
    'https://',
  ])('%s is refused as an origin', (origin) => {
    expect(refusal({ CORS_ORIGINS: `https://b.example,${origin}` })).toContain(
      `CORS_ORIGINS must be origins such as https://shop.example, with commas between them: "${origin}" is not scheme://host[:port]`,
    );
  });
});
