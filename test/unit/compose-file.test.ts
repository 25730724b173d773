import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { CHAINS } from '../../src/domain/assets.ts';
import { HEARTBEAT_MS } from '../../src/feed/socket-server.ts';
import { SETTING_NAMES } from '../../src/settings/names.ts';

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

/** Settings of the embedded development servers, and of tests. */
const NOT_IN_PRODUCTION = ['TEMPORAL_UI_PORT', 'CRASH_POINTS'];
/** Settings that the container sets itself. */
const FIXED = ['PORT'];

describe('the Compose file', () => {
  const passed = new Set(
    [...read('docker-compose.yml').matchAll(/^ {4}([A-Z][A-Z0-9_]+):/gm)].map(([, n]) => n),
  );

  test('passes every documented setting to the containers', () => {
    const names = [...SETTING_NAMES].filter((name) => !name.startsWith('CHAIN_'));
    const expected = names.filter((name) => ![...NOT_IN_PRODUCTION, ...FIXED].includes(name));
    expect(expected.filter((name) => !passed.has(name))).toEqual([]);
  });

  test.each(CHAINS)('and those of %s', (chain) => {
    const ends = ['RPC_URL', 'TOKENS', 'DEPOSIT_ADDRESS'];
    const names = ends.map((end) => `CHAIN_${chain.toUpperCase()}_${end}`);
    expect(names.filter((name) => !passed.has(name))).toEqual([]);
  });

  test('requires SANDBOX to be set explicitly beside real chains', () => {
    expect(read('docker-compose.yml')).toMatch(/^ {4}SANDBOX: \$\{SANDBOX:\?/m);
  });
});

test('the load balancer forwards the order feed as a WebSocket, and its timeout exceeds the heartbeat', () => {
  const balancer = read('docker/balancer.conf');
  expect(balancer).toMatch(/proxy_set_header Upgrade \$http_upgrade;/);
  expect(balancer).toMatch(/map \$http_upgrade \$connection_upstream \{\s+default upgrade;/);
  expect(balancer).toMatch(/proxy_set_header Connection \$connection_upstream;/);
  const seconds = /location = \/ws\/orders \{[^}]*proxy_read_timeout (\d+)s;/.exec(balancer)?.[1];
  expect(Number(seconds) * 1_000).toBeGreaterThan(HEARTBEAT_MS);
});
