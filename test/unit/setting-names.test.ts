import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { StartupError } from '../../src/process/startup-error.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { isSetting, misspeltNames, SETTING_NAMES } from '../../src/settings/names.ts';

const foreignNames = readFileSync(new URL('./foreign-variables.txt', import.meta.url), 'utf8')
  .replaceAll(/^#.*$/gm, '')
  .split(/\s+/)
  .filter(Boolean);
const lettersIn = (name: string) => name.replaceAll(/[^A-Z]/g, '').length;
const longNames = [...SETTING_NAMES].filter((name) => lettersIn(name) >= 6);

describe('a misspelt name', () => {
  test.each([
    ['PLATFORM_FEE_BP', 'PLATFORM_FEE_BPS'],
    ['CLAIM_TIMOUT', 'CLAIM_TIMEOUT'],
    ['CLAMI_TIMEOUT', 'CLAIM_TIMEOUT'],
    ['SANDBOXX', 'SANDBOX'],
    ['sandbox', 'SANDBOX'],
    ['platform_fee_bps', 'PLATFORM_FEE_BPS'],
    ['WEBHOOK_ALOW_PRIVAT', 'WEBHOOK_ALLOW_PRIVATE'],
    ['CHAIN_POLYGN_RPC_URL', 'CHAIN_POLYGON_RPC_URL'],
    ['CHAIN_ETH_CONFIRMATION', 'CHAIN_ETH_CONFIRMATIONS'],
  ])('%s stops the start, with the question whether it means %s', (name, meant) => {
    expect(() => loadConfig({ [name]: 'its-value' })).toThrow(
      new StartupError(
        `The settings are not usable: ${name} is not a setting: did you mean ${meant}? Rename it, or unset it. See docs/settings.md.`,
      ),
    );
  });

  test('of an unknown chain is refused with the known chains', () => {
    const rpcUrls = ['ETH', 'POLYGON', 'BASE', 'TRX', 'XRPL'].map((chain) => `CHAIN_${chain}_RPC_URL`);
    expect(misspeltNames(['CHAIN_FOO_RPC_URL'])).toEqual([
      `CHAIN_FOO_RPC_URL is not a setting: did you mean ${rpcUrls.join(', ')}? Rename it, or unset it`,
    ]);
  });

  test('that is similar to two settings names both', () => {
    expect(misspeltNames(['PAR_RATE_LIMIT', 'RECEIPTS_S3_BUCKE']).join('\n')).toMatch(
      /did you mean PAY_RATE_LIMIT\?.*\n.*did you mean RECEIPTS_S3_BUCKET\?/,
    );
    expect(misspeltNames(['CHAIN_ETX_RPC_URL'])[0]).toContain('did you mean CHAIN_ETH_RPC_URL?');
  });

  test('with one letter deleted, inserted, replaced or swapped is caught in every setting of six letters or more', () => {
    const letter = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789');
    const edit = fc.constantFrom('delete', 'insert', 'replace', 'swap');
    fc.assert(
      fc.property(fc.constantFrom(...longNames), edit, fc.nat(), letter, (name, kind, place, inserted) => {
        const at = place % name.length;
        const misspelt = edited(name, kind, at, inserted);
        fc.pre(!isSetting(misspelt));
        const [line = ''] = misspeltNames([misspelt]);
        expect(line).toMatch(new RegExp(`^${misspelt} is not a setting: did you mean .*\\b${name}\\b`));
      }),
      { numRuns: 1_000 },
    );
  });
});

function edited(name: string, kind: string, at: number, letter: string): string {
  const [before, own, after] = [name.slice(0, at), name.charAt(at), name.slice(at + 1)];
  switch (kind) {
    case 'delete':
      return before + after;
    case 'insert':
      return before + letter + own + after;
    case 'replace':
      return before + letter + after;
    default:
      return before + after.charAt(0) + own + after.slice(1);
  }
}

describe('a variable of another program', () => {
  test('does not stop the start', () => {
    expect(foreignNames.length).toBeGreaterThan(300);
    expect(misspeltNames(foreignNames)).toEqual([]);
  });

  test('does not stop the start on this machine', () => {
    expect(misspeltNames(Object.keys(process.env))).toEqual([]);
  });

  test('that is empty does not stop the start, however similar its name is', () => {
    expect(loadConfig({ CLAIM_TIMOUT: '' })).toEqual(loadConfig({}));
  });

  test.each([
    'POST',
    'HOSTS',
    'PORTS',
    'DATABASE_SSL',
    'API_RATE_LIMIT',
    'TEMPORAL_UI_HOST',
    'CHAIN_OF_TRUST',
    'CHAIN_FILE',
  ])('such as %s is left alone', (name) => {
    expect(misspeltNames([name])).toEqual([]);
  });
});
