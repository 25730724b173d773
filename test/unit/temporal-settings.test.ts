import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { loadConfig } from '../../src/settings/config.ts';

const folder = mkdtempSync(join(tmpdir(), 'corridor-temporal-'));
afterAll(() => rmSync(folder, { recursive: true }));
const toml = join(folder, 'temporal.toml');
writeFileSync(
  toml,
  '[profile.payments]\naddress = "temporal.example:7233"\nnamespace = "payments"\napi_key = "a-key"\n',
);
const broken = join(folder, 'broken.toml');
writeFileSync(broken, '[profile.payments]\nadress = "temporal.example:7233"\n');

const ADDRESS = { TEMPORAL_ADDRESS: 'temporal.example:7233' };

test.each<[string, Record<string, string>, RegExp]>([
  [
    'a certificate without its key',
    { ...ADDRESS, TEMPORAL_TLS_CLIENT_CERT_DATA: 'x' },
    /TEMPORAL_TLS_CLIENT_KEY_PATH must be set too/,
  ],
  [
    'a key without its certificate',
    { ...ADDRESS, TEMPORAL_TLS_CLIENT_KEY_DATA: 'x' },
    /TEMPORAL_TLS_CLIENT_CERT_PATH must be set too/,
  ],
  [
    'an authority as a file and as text',
    { ...ADDRESS, TEMPORAL_TLS_SERVER_CA_CERT_PATH: toml, TEMPORAL_TLS_SERVER_CA_CERT_DATA: 'x' },
    /TEMPORAL_TLS_SERVER_CA_CERT_PATH and TEMPORAL_TLS_SERVER_CA_CERT_DATA must not both be set/,
  ],
  [
    'certificates without TLS',
    { ...ADDRESS, TEMPORAL_TLS: 'false', TEMPORAL_TLS_SERVER_NAME: 'x' },
    /TEMPORAL_TLS is false, but certificates are set/,
  ],
  [
    'a certificate that is not there',
    { ...ADDRESS, TEMPORAL_TLS_SERVER_CA_CERT_PATH: join(folder, 'none.pem') },
    /the configuration of Temporal cannot be used: .*none\.pem/,
  ],
  ['a key for no server', { TEMPORAL_API_KEY: 'x' }, /TEMPORAL_ADDRESS must be set/],
  ['a file that is not there', { TEMPORAL_CONFIG_FILE: join(folder, 'none.toml') }, /does not exist/],
  [
    'a profile that is not there',
    { TEMPORAL_CONFIG_FILE: toml, TEMPORAL_PROFILE: 'other' },
    /Profile 'other' not found/,
  ],
  [
    'a misspelt name in the file',
    { TEMPORAL_CONFIG_FILE: broken, TEMPORAL_PROFILE: 'payments' },
    /unrecognized.*adress/,
  ],
  ['a misspelt setting', { ...ADDRESS, TEMPORAL_APIKEY: 'x' }, /did you mean TEMPORAL_API_KEY/],
])('%s stops the start', (_what, env, says) => {
  expect(() => loadConfig(env)).toThrow(says);
});

test('a profile says where Temporal is, and variables come first', () => {
  const env = { TEMPORAL_CONFIG_FILE: toml, TEMPORAL_PROFILE: 'payments' };
  expect(loadConfig(env)).toMatchObject({
    temporalAddress: 'temporal.example:7233',
    temporalNamespace: 'payments',
    managesTemporalNamespace: false,
  });
  const given = { ...env, TEMPORAL_ADDRESS: 'other.example:7233', TEMPORAL_MANAGE_NAMESPACE: 'true' };
  expect(loadConfig(given)).toMatchObject({
    temporalAddress: 'other.example:7233',
    managesTemporalNamespace: true,
  });
});

test('without settings, Corridor starts its own Temporal', () => {
  expect(loadConfig({})).toMatchObject({
    temporalAddress: undefined,
    temporalNamespace: 'corridor',
    managesTemporalNamespace: true,
    temporalAccess: { variables: {} },
  });
});
