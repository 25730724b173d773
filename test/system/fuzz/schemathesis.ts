import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCaller, expectStatus } from '../../../dev/http-client.ts';
import { freePort } from '../../../src/process/free-port.ts';
import { loadConfig } from '../../../src/settings/config.ts';
import { loadSecrets } from '../../../src/settings/secrets.ts';
import { deposit, newLp, newUnlimitedAgent } from '../../support/actors.ts';
import { NO_RATE_LIMITS } from '../../support/no-rate-limits.ts';
import { newOrder } from '../../support/repeated-steps.ts';

/**
 * `npm run test:schemathesis`: starts its own Corridor and has Schemathesis (`pip install schemathesis`) send requests that
 * the OpenAPI document allows, and others. Passes its arguments on.
 */
const ADMIN_TAG = 'Admins';
const ROTATION = '/api/lp/{lp_key}/rotate';
const dataDir = await mkdtemp(join(tmpdir(), 'corridor-fuzz-'));
const settings = {
  DATA_DIR: dataDir,
  PORT: String(await freePort()),
  TEMPORAL_UI_PORT: String(await freePort()),
  ...NO_RATE_LIMITS,
  LOG_LEVEL: 'warn',
};
const corridor = spawn(process.execPath, ['src/main.ts', 'all'], {
  env: { ...process.env, ...settings },
  stdio: ['ignore', 'inherit', 'pipe'],
});
try {
  await new Promise<void>((resolve, reject) => {
    let said = '';
    corridor.stderr.on('data', (chunk) => {
      said += chunk;
      if (said.includes('corridor: ready')) resolve();
    });
    corridor.once('exit', () => reject(new Error(`Corridor did not start:\n${said}`)));
  });
  process.exitCode = await fuzz();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
} finally {
  const ended = new Promise((resolve) => corridor.once('exit', resolve));
  corridor.kill('SIGTERM');
  await ended;
  await rm(dataDir, { recursive: true, force: true });
}

async function fuzz(): Promise<number> {
  const config = loadConfig(settings);
  const { adminApiKey } = await loadSecrets(config);
  const parties = {
    admin: createCaller(config.publicUrl, adminApiKey),
    anyone: createCaller(config.publicUrl),
    as: (key: string) => createCaller(config.publicUrl, key),
  };
  const agent = await newUnlimitedAgent(parties);
  const lp = await newLp(parties, { collateral: 100_000 });
  await deposit(lp, 1);
  const orderId = await newOrder(agent);
  await expectStatus(200, parties.anyone('GET', `/api/orders/${orderId}`));

  const file = join(dataDir, 'schemathesis.toml');
  await writeFile(
    file,
    [
      `[auth.openapi.agentKey]\nbearer = "${agent.key}"`,
      `[auth.openapi.lpKey]\nbearer = "${lp.key}"`,
      `[auth.openapi.adminKey]\nbearer = "${adminApiKey}"`,
      `[parameters]\n"path.lp_key" = "${lp.key}"`,
    ].join('\n\n'),
  );
  const checks =
    'not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance';
  const schemathesis = (...which: string[]) => {
    const args = [
      '--config-file',
      file,
      'run',
      `${config.publicUrl}/openapi.json`,
      '--checks',
      checks,
      ...which,
    ];
    const tool = spawn('schemathesis', [...args, ...process.argv.slice(2)], { stdio: 'inherit' });
    return new Promise<number>((resolve, reject) => {
      tool.once('error', () => reject(new Error('Schemathesis is not installed: pip install schemathesis')));
      tool.once('exit', (code) => resolve(code ?? 1));
    });
  };
  // The rotation ends the LP's key. Admins go last: they revoke and limit keys, and may hit the agent's own.
  return (
    (await schemathesis('--exclude-tag', ADMIN_TAG, '--exclude-path', ROTATION)) ||
    (await schemathesis('--include-path', ROTATION)) ||
    (await schemathesis('--include-tag', ADMIN_TAG))
  );
}
