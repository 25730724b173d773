import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Corridors, loadCorridors } from '../../src/market/corridors/load.ts';
import { resolveDelivery } from '../../src/market/corridors/resolve-delivery.ts';
import { corridorFile } from '../../src/market/corridors/schema.ts';

describe('the operator’s file', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'corridors-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const load = (content: unknown): Promise<Corridors> => {
    const path = join(folder, 'corridors.json');
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return loadCorridors(path);
  };
  const pickup = (changes: object = {}, corridor: object = {}) => ({
    currencies: {
      MAD: {
        ...{ name: 'Moroccan dirham', countries: ['MA'], default_method: 'cash_pickup' },
        methods: {
          cash_pickup: {
            ...{ name: 'Cash pickup', source: 'our contract', min: 10, max: 80_000 },
            institutions: [{ code: 'cash_plus', name: 'Cash Plus' }],
            ...{ institution_required: true, recipient_field: 'phone' },
            recipient: {
              type: 'object',
              required: ['phone', 'name'],
              properties: {
                phone: { type: 'string', title: 'Phone', format: 'phone', maxLength: 16 },
                name: { type: 'string', title: 'Name as in the passport', maxLength: 80 },
              },
              additionalProperties: false,
            },
            examples: [{ phone: '+212612345678', name: 'Salma Idrissi' }],
            ...changes,
          },
        },
        ...corridor,
      },
    },
  });

  test('replaces the built-in corridors', async () => {
    const own = await load(pickup());
    expect([...own.keys()]).toEqual(['MAD']);
    const request = { amount: '100', currency: 'MAD', institution: 'cash_plus' };
    const recipient_details = { phone: '+212612345678', name: 'Salma Idrissi' };
    expect(
      resolveDelivery({ corridors: own, sandbox: false }, { ...request, recipient_details }),
    ).toMatchObject({ method: 'cash_pickup', recipient: '+212612345678' });
  });

  test.each<[string, unknown, RegExp]>([
    ['is not JSON', '{\n"currencies": {', /^CORRIDORS_FILE \S+corridors.json is not JSON: .+/],
    ['has another top level', [], /not usable: at the top: /],
    ['has an unknown key', { currencies: {}, note: 1 }, /at the top: .*note/],
    ['has a malformed currency', { currencies: { kes: {} } }, /at currencies\.kes: /],
    [
      'has a default that is none of the methods',
      pickup({}, { default_method: 'x' }),
      /currencies\.MAD\.default_method: is not/,
    ],
    [
      'has a country without phones',
      pickup({}, { countries: ['MA', 'XX'] }),
      /MAD\.countries: XX is not a country/,
    ],
    ['has a maximum below the minimum', pickup({ max: 1 }), /methods\.cash_pickup\.max: must not be less/],
    [
      'repeats an institution',
      pickup({ institutions: Array(2).fill({ code: 'a', name: 'A' }) }),
      /institutions: must not repeat/,
    ],
    ['requires an institution and lists none', pickup({ institutions: [] }), /institutions: must have one/],
    ['names another field', pickup({ recipient_field: 'iban' }), /recipient_field: must be one of/],
    [
      'has an invalid example',
      pickup({ examples: [{ phone: '+254700123456', name: 'A' }] }),
      /examples\.0: phone must be a mobile number in Morocco/,
    ],
    [
      'allows more fields',
      pickup({ recipient: { type: 'object', required: ['a'], properties: {}, additionalProperties: true } }),
      /additionalProperties: /,
    ],
  ])('stops the start with one line if it %s', async (_, content, reason) => {
    const error = await load(content).then(
      () => undefined,
      (refused: Error) => refused,
    );
    expect(error?.name).toBe('StartupError');
    expect(error?.message).toMatch(reason);
    expect(error?.message).not.toContain('\n');
    expect(error?.message).not.toContain('undefined');
  });

  test('that cannot be read stops the start', async () => {
    await expect(loadCorridors(join(folder, 'none.json'))).rejects.toThrow(
      /^CORRIDORS_FILE \S+none.json cannot be read: ENOENT\.$/,
    );
  });

  test.each(['[0-9]+', '^a|b$', '^(', '^a', 'a$'])(
    'has no pattern %p that lets other text around it',
    (pattern) => {
      const { methods } = pickup().currencies.MAD;
      Object.assign(methods.cash_pickup.recipient.properties.name, { pattern });
      const file = pickup({ recipient: methods.cash_pickup.recipient });
      expect(corridorFile.safeParse(file).error?.issues[0]?.message).toBe(
        'must be a regular expression from ^ to $',
      );
    },
  );
});
