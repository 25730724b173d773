import { expect, test } from '@jest/globals';
import type { Part } from '../../src/service/start/part.ts';
import { summary } from '../../src/service/start/summary.ts';
import { loadConfig } from '../../src/settings/config.ts';

const SECRETS = {
  ADMIN_API_KEY: 'a-long-admin-key',
  WEBHOOK_SECRET: 'a-long-webhook-secret',
  COMMAND_SECRET: 'a-long-command-secret',
};

function printed(part: Part, env: Record<string, string>): string {
  const config = loadConfig({ ...SECRETS, ...env });
  const secrets = {
    ...config.secrets,
    adminApiKey: 'a-long-admin-key',
    webhookSecret: 'a-long-webhook-secret',
    commandSecret: 'a-long-command-secret',
  };
  return summary({ part, config, secrets, temporalUiUrl: config.temporalUiUrl });
}

test('a start in development shows its mode, sandbox, fee, chains and addresses', () => {
  expect(printed('all', { TEMPORAL_UI_URL: 'http://127.0.0.1:8233' })).toBe(`ready
  Mode         development
  Sandbox      on: payments on simulated chains are not real
  Fee          0.5 % (PLATFORM_FEE_BPS=50)
  Chains       trx, eth, polygon, base, xrpl (simulated)
  API          http://127.0.0.1:8080
  Reference    http://127.0.0.1:8080/docs
  Console      http://127.0.0.1:8080/console
  Temporal UI  http://127.0.0.1:8233/namespaces/corridor/workflows
  Admin key    that of ADMIN_API_KEY
  Next         npm run demo   (in another terminal)`);
});

test('a start with a generated admin key shows it, because nobody else knows it', () => {
  expect(printed('all', { ADMIN_API_KEY: '' })).toContain('  Admin key    a-long-admin-key\n');
});

test('in production with real chains it shows them, and never the admin key', () => {
  const env = {
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://pay.example',
    PLATFORM_FEE_BPS: '125',
    METRICS_PORT: '9464',
    CHAIN_BASE_RPC_URL: 'https://node.example/key-of-the-node',
    CHAIN_ETH_RPC_URL: 'https://node.example/key-of-the-node',
  };
  expect(printed('api', env)).toBe(`api is running
  Mode         production
  Sandbox      off
  Fee          1.25 % (PLATFORM_FEE_BPS=125)
  Chains       eth, base (real)
  API          https://pay.example
  Reference    https://pay.example/docs
  Console      https://pay.example/console
  Metrics      http://127.0.0.1:9464/metrics`);
  expect(printed('worker', { ...env, SANDBOX: 'true', METRICS_PORT: '' })).toBe(`worker is running
  Mode         production
  Sandbox      on: payments on simulated chains are not real
  Fee          1.25 % (PLATFORM_FEE_BPS=125)
  Chains       eth, base (real); trx, polygon, xrpl (simulated)`);
});
