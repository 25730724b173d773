import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { CHAINS } from '../../src/domain/assets.ts';
import { HEARTBEAT_MS } from '../../src/stream/socket-server.ts';

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

/** Those of the development server that the API brings along, and of tests. */
const NOT_IN_PRODUCTION = ['TEMPORAL_UI_PORT', 'CRASH_POINTS'];
/** The container has its own. */
const FIXED = ['PORT'];

describe('the Compose file', () => {
  const passed = new Set(
    [...read('docker-compose.yml').matchAll(/^ {4}([A-Z][A-Z0-9_]+):/gm)].map(([, n]) => n),
  );

  test('hands every setting of the README on to the containers', () => {
    const [, section = ''] = read('README.md').split('\n## Settings\n');
    const [table = ''] = section.split('\n### Chains\n');
    const names = [...table.matchAll(/^\| (`[A-Z][^|]*) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([A-Z0-9_]+)`/g)].map(([, name = '']) => name),
    );
    expect(names.length).toBeGreaterThan(40);
    const expected = names.filter((name) => ![...NOT_IN_PRODUCTION, ...FIXED].includes(name));
    expect(expected.filter((name) => !passed.has(name))).toEqual([]);
  });

  test.each(CHAINS)('and those of %s', (chain) => {
    const ends = ['RPC_URL', 'TOKENS', 'DEPOSIT_ADDRESS'];
    const names = ends.map((end) => `CHAIN_${chain.toUpperCase()}_${end}`);
    expect(names.filter((name) => !passed.has(name))).toEqual([]);
  });

  test('has it said whether there is a sandbox, which must not stand beside real chains by accident', () => {
    expect(read('docker-compose.yml')).toMatch(/^ {4}SANDBOX: \$\{SANDBOX:\?/m);
  });
});

test('the balancer hands the order feed on as a WebSocket, for longer than its heartbeat', () => {
  const balancer = read('docker/balancer.conf');
  expect(balancer).toMatch(/proxy_set_header Upgrade \$http_upgrade;/);
  expect(balancer).toMatch(/map \$http_upgrade \$connection_upstream \{\s+default upgrade;/);
  expect(balancer).toMatch(/proxy_set_header Connection \$connection_upstream;/);
  const seconds = /location = \/ws\/orders \{[^}]*proxy_read_timeout (\d+)s;/.exec(balancer)?.[1];
  expect(Number(seconds) * 1_000).toBeGreaterThan(HEARTBEAT_MS);
});
