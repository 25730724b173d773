import { describe, expect, test } from '@jest/globals';
import { HEARTBEAT_MS } from '../../src/notify/feed/socket-server.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { misspeltNames, SETTING_NAMES } from '../../src/settings/names.ts';
import { textOf, yamlOf } from '../support/ops-files.ts';

/** What the Compose file itself sets, because the containers depend on it. */
const OWN = ['NODE_ENV', 'HOST', 'PORT', 'METRICS_HOST', 'METRICS_PORT', 'TEMPORAL_ADDRESS'];
const DATABASE = ['DATABASE_URL', 'DATABASE_READER_URL'];
/** In `.env` for other containers. */
const PASSWORDS = ['POSTGRES', 'OWNER', 'SERVICE', 'READER', 'TEMPORAL'].map((role) => `${role}_PASSWORD`);
/** What the operator must decide, and what has another default in containers. */
const ASKED = ['PUBLIC_URL', 'ADMIN_API_KEY', 'WEBHOOK_SECRET', 'COMMAND_SECRET', 'SANDBOX'];
const ADAPTED = ['TEMPORAL_NAMESPACE', 'DATA_DIR', 'TRUST_PROXY_HOPS'];

describe.each(['api', 'worker', 'migrate'])('the Compose file, for %s', (service) => {
  const { environment, env_file } = yamlOf('docker-compose.yml').services[service];

  test('passes every setting of the operator', () => {
    expect(env_file).toEqual([{ path: '.env', required: false }]);
    expect(misspeltNames(PASSWORDS)).toEqual([]);
  });

  test('replaces only the settings on which the containers depend', () => {
    const own = [...OWN, ...DATABASE, ...(service === 'migrate' ? ['DATABASE_OWNER_URL'] : [])];
    expect(Object.keys(environment).sort()).toEqual([...own, ...ASKED, ...ADAPTED, ...PASSWORDS].sort());
    expect(Object.keys(environment).filter((name) => !SETTING_NAMES.has(name))).toEqual(PASSWORDS);
  });

  test('gives it no password but those in its URLs', () => {
    for (const name of PASSWORDS) expect(environment[name]).toBe('');
    expect(environment.DATABASE_URL).toMatch(/^postgres:\/\/corridor_service:\$\{SERVICE_PASSWORD:\?\}@/);
  });

  // SANDBOX among them: beside real chains, simulated collateral could be withdrawn on a real one.
  test('asks for what has no safe default', () => {
    for (const name of ASKED) expect(environment[name]).toMatch(new RegExp(`^\\$\\{${name}:\\?.+\\}$`));
  });
});

test('the balancer hands the order feed on as a WebSocket, for longer than its heartbeat', () => {
  const balancer = textOf('docker/balancer.conf');
  expect(balancer).toMatch(/proxy_set_header Upgrade \$http_upgrade;/);
  expect(balancer).toMatch(/map \$http_upgrade \$connection_upstream \{\s+default upgrade;/);
  expect(balancer).toMatch(/proxy_set_header Connection \$connection_upstream;/);
  const seconds = /location = \/ws\/orders \{[^}]*proxy_read_timeout (\d+)s;/.exec(balancer)?.[1];
  expect(Number(seconds) * 1_000).toBeGreaterThan(HEARTBEAT_MS);
});

test('the balancer limits the requests and the connections of each address', () => {
  const balancer = textOf('docker/balancer.conf');
  for (const [limit, zone] of [
    ['req', 'requests'],
    ['conn', 'connections'],
  ]) {
    expect(balancer).toMatch(new RegExp(`limit_${limit}_zone \\$binary_remote_addr zone=${zone}:`));
    expect(balancer).toMatch(new RegExp(`server \\{[^{]*limit_${limit} (zone=)?${zone} `));
    expect(balancer).toContain(`limit_${limit}_status 429;`);
  }
});

test('the balancer lets one agent send as many requests as Corridor does, and can learn the addresses behind a TLS proxy', () => {
  const balancer = textOf('docker/balancer.conf');
  const perSecond = Number(/rate=(\d+)r\/s;/.exec(balancer)?.[1]);
  expect(perSecond * 60).toBeGreaterThanOrEqual(loadConfig({}).limits.agent);
  const commented = /^# (set_real_ip_from \S+;)\n# (real_ip_header X-Forwarded-For;)$/m.exec(balancer);
  expect(commented).not.toBeNull();
});
