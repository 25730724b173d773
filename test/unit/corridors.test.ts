import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type { DomainError } from '../../src/domain/errors.ts';
import { listFaults } from '../../src/market/corridors/list-faults.ts';
import { loadCorridors } from '../../src/market/corridors/load.ts';
import {
  type DeliveryRequest,
  resolveDelivery,
  resolveMethod,
} from '../../src/market/corridors/resolve-delivery.ts';

const corridors = await loadCorridors(undefined);

const methods = [...corridors].flatMap(([currency, corridor]) =>
  Object.entries(corridor.methods).map(([id, method]) => ({ currency, corridor, id, method })),
);

/** A JSON Schema validator. The formats for phone numbers and IBANs are Corridor's own, so it does not check them. */
const ajv = new Ajv2020({ formats: { phone: true, iban: true }, strict: true });

const resolve = (request: Partial<DeliveryRequest>, sandbox = false) =>
  resolveDelivery({ corridors, sandbox }, { amount: '1000', currency: 'KES', ...request });

/** The field and the reason of a refusal. Empty strings: nothing is refused. */
function refusal(request: Partial<DeliveryRequest>, sandbox = false): [string, string] {
  try {
    resolve(request, sandbox);
  } catch (error) {
    const [field, reasons] = Object.entries((error as DomainError).details?.fieldErrors ?? {})[0] ?? [];
    return [String(field), String(reasons?.[0])];
  }
  return ['', ''];
}

describe('the built-in corridors', () => {
  test('are those of the currencies that the documentation names', () => {
    expect([...corridors.keys()].sort()).toEqual([
      'EUR',
      'GHS',
      'KES',
      'NGN',
      'RWF',
      'TZS',
      'UGX',
      'XOF',
      'ZMW',
    ]);
  });

  test.each(methods)('$currency by $id accepts its examples, and a JSON Schema validator agrees', (one) => {
    const validate = ajv.compile(one.method.recipient);
    for (const recipient_details of one.method.examples) {
      expect([validate(recipient_details), validate.errors]).toEqual([true, null]);
      const institution = one.method.institution_required ? one.method.institutions[0]?.code : undefined;
      const amount = String(one.method.min);
      const request = { currency: one.currency, method: one.id, amount, institution, recipient_details };
      expect(resolve(request)).toMatchObject({ method: one.id, recipient_details });
    }
  });

  test.each(methods)(
    '$currency by $id refuses whatever a JSON Schema validator refuses',
    ({ corridor, method }) => {
      const validate = ajv.compile(method.recipient);
      const names = [...Object.keys(method.recipient.properties), 'constructor', 'other'];
      const values = fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('', '+', '0'.repeat(200), ...method.examples.flatMap((one) => Object.values(one))),
      );
      fc.assert(
        fc.property(
          fc.dictionary(fc.constantFrom(...names), values, { noNullPrototype: true }),
          (details) => {
            const faults = listFaults(method.recipient, corridor.countries, details);
            // Corridor refuses more: invisible characters, and impossible phone numbers and IBANs.
            expect(faults.length > 0 || validate(details)).toBe(true);
          },
        ),
      );
    },
  );

  test.each([...corridors].map(([currency, { default_method }]) => [currency, default_method]))(
    '%s takes a bare recipient for its default method, %s',
    (currency, method) => {
      const { examples, recipient_field: field } = corridors.get(currency)?.methods[method] ?? {};
      const recipient = String(examples?.[0]?.[String(field)]);
      expect(resolve({ currency, recipient })).toEqual({
        ...{ method, corridor_method: method, institution: null, recipient },
        recipient_details: { [String(field)]: recipient },
      });
    },
  );
});

describe('a bare recipient', () => {
  test.each([
    ['KES', '0700 123 456', { phone: '+254700123456' }],
    ['KES', '254700123456', { phone: '+254700123456' }],
    ['UGX', '0772-123456', { phone: '+256772123456' }],
    ['EUR', 'de89 3704 0044 0532 0130 00', { iban: 'DE89370400440532013000' }],
  ])('of %s may be written as %s', (currency, recipient, recipient_details) => {
    expect(resolve({ currency, recipient })).toMatchObject({ recipient, recipient_details });
  });

  test.each([
    ['another country’s number', 'KES', '+256700123456'],
    ['a number of no country', 'KES', '+99900000001'],
    ['a landline', 'KES', '+254202222222'],
    ['a number that is too short', 'KES', '+25470012345'],
    ['a number that is too long', 'KES', '+2547001234567'],
    ['an extension', 'KES', '+254700123456;ext=5'],
    ['letters for digits', 'KES', '+254700FLOWER'],
    ['digits of another script', 'KES', '+٢٥٤٧٠٠١٢٣٤٥٦'],
    ['an invisible character', 'KES', '+254700\u200d123456'],
    ['a name', 'KES', 'Amina'],
    ['only a sign', 'KES', '+'],
    ['the name of an object’s property', 'KES', '__proto__'],
    ['a local number that several of the countries could have', 'XOF', '70123456'],
    ['a wrong check digit', 'EUR', 'DE88370400440532013000'],
    ['a wrong length for its country', 'EUR', 'DE8937040044053201300'],
    ['an IBAN from outside', 'EUR', 'SA0380000000608010167519'],
    ['a phone number as an IBAN', 'EUR', '+254700123456'],
    ['an IBAN with an invisible character', 'EUR', 'DE8937040044053201300\u200d0'],
  ])('is refused for %s, and no reason repeats it', (_, currency, recipient) => {
    const [field, reason] = refusal({ currency, recipient });
    expect(field).toBe('recipient');
    expect(reason).toMatch(new RegExp(`^is not a recipient for ${currency} by \\w+: (phone|iban) `));
    if (recipient.length > 4) expect(reason).not.toContain(recipient);
  });

  test('is not enough if a method needs more fields', () => {
    expect(refusal({ method: 'paybill', recipient: '888880' })).toEqual([
      'recipient',
      'is not enough for KES by paybill: send recipient_details with business_number, account_number',
    ]);
    expect(refusal({ method: 'bank_transfer', recipient: '0123456789' })[0]).toBe('institution');
    const bank = { method: 'bank_transfer', institution: '68', recipient: '0123456789' };
    expect(resolve(bank)).toMatchObject({
      institution: '68',
      recipient_details: { account_number: '0123456789' },
    });
  });

  test('may be a test recipient of every corridor in a sandbox, and nowhere else', () => {
    for (const currency of corridors.keys()) {
      const recipient = '+99900000001';
      expect(resolve({ currency, recipient }, true)).toMatchObject({ recipient });
      expect(refusal({ currency, recipient })[0]).toBe('recipient');
    }
    expect(refusal({ recipient: '+999000000012' }, true)[0]).toBe('recipient');
    expect(refusal({ recipient: '+99800000001' }, true)[0]).toBe('recipient');
    const recipient_details = { phone: '+99900000001' };
    expect(resolve({ recipient_details }, true)).toMatchObject({ recipient_details });
    expect(refusal({ recipient_details })[0]).toBe('recipient_details');
  });

  test('of a currency without a corridor is any text, by any method', () => {
    const request = { currency: 'XAU', recipient: 'the vault in Zug' };
    const recipient = { recipient: 'the vault in Zug', recipient_details: null };
    const free = { corridor_method: '*', institution: null, ...recipient };
    expect(resolve(request)).toEqual({ method: 'mobile_money', ...free });
    expect(resolve({ ...request, method: 'courier' })).toEqual({ method: 'courier', ...free });
    expect(refusal({ currency: 'XAU' })[0]).toBe('recipient');
    expect(refusal({ ...request, institution: 'mpesa' })[0]).toBe('institution');
    expect(refusal({ ...request, recipient_details: { phone: '1' } })[0]).toBe('recipient_details');
    for (const currency of ['__proto__', 'constructor', 'toString'])
      expect(resolve({ currency, recipient: 'x' }).recipient_details).toBeNull();
  });
});

describe('the fields of a recipient', () => {
  const details = (recipient_details: Record<string, string>) => refusal({ recipient_details })[1];

  test('are checked by name', () => {
    expect(details({})).toBe('phone is required');
    expect(details({ phnoe: '+254700123456' })).toBe('has an unknown field: it may have phone');
    expect(details({ phone: '+254700123456', pin: '1234' })).toMatch(/^has an unknown field/);
    const paybill = { method: 'paybill', recipient_details: { busines_number: '1', account_number: '1' } };
    expect(refusal(paybill)[1]).toBe('has an unknown field: did you mean business_number?');
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`field_${i}`, 'x']));
    expect(details(many)).toBe('has more than 32 fields');
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('have no %s', (key) => {
    const hostile = JSON.parse(`{"phone": "+254700123456", ${JSON.stringify(key)}: "x"}`);
    expect(details(hostile)).toMatch(/^has an unknown field/);
    expect(details(JSON.parse(`{${JSON.stringify(key)}: "x"}`))).toMatch(/^has an unknown field/);
    expect(refusal({ method: key, recipient: '+254700123456' })[0]).toBe('method');
    expect(refusal({ institution: key, recipient: '+254700123456' })[0]).toBe('institution');
  });

  test.each([
    ['empty', ''],
    ['huge', '+2547'.repeat(1_000_000)],
    ['invisible', '\u200d'],
    ['local', '0700123456'],
    ['with blanks', '+254 700 123456'],
    ['with a line break', '+254700123456\n'],
  ])('are refused when they are %s', (_, phone) => {
    expect(details({ phone })).toMatch(/^phone /);
  });

  test('may be sent with the same bare recipient, and not with another', () => {
    const recipient_details = { phone: '+254700123456' };
    expect(resolve({ recipient_details })).toMatchObject({ recipient: '+254700123456' });
    expect(resolve({ recipient_details, recipient: '0700 123456' })).toMatchObject({ recipient_details });
    expect(refusal({ recipient_details, recipient: '+254700123457' })[0]).toBe('recipient');
  });
});

describe('a method and an institution', () => {
  test('must be the currency’s, and a near miss is named', () => {
    expect(refusal({ method: 'mobile-money', recipient: 'x' })).toEqual([
      'method',
      'must be one of mobile_money, bank_transfer, till, paybill: did you mean mobile_money?',
    ]);
    expect(refusal({ currency: 'UGX', method: 'till', recipient: 'x' })[0]).toBe('method');
    expect(refusal({ institution: 'airtel_mony', recipient: 'x' })[1]).toContain(
      'did you mean airtel_money?',
    );
    expect(refusal({ currency: 'EUR', institution: 'n26', recipient: 'x' })[1]).toMatch(/no institutions/);
  });

  test('have a minimum and a maximum, exactly', () => {
    const by = (amount: string) => ({ amount, recipient: '+254700123456' });
    for (const amount of ['1', '250000.00', '250000'])
      expect(resolve(by(amount)).method).toBe('mobile_money');
    for (const amount of ['0.99', '250000.01', '99999999999'])
      expect(refusal(by(amount))).toEqual(['amount', 'must be from 1 to 250000 KES by mobile_money']);
  });

  test('of a quote are checked without a recipient, and with one', () => {
    const ask = (request: object) =>
      resolveMethod({ corridors, sandbox: false }, { amount: '10', currency: 'KES', ...request });
    expect([ask({}), ask({ method: 'till' }), ask({ currency: 'XAU' })]).toEqual([
      { method: 'mobile_money', corridor_method: 'mobile_money' },
      { method: 'till', corridor_method: 'till' },
      { method: 'mobile_money', corridor_method: '*' },
    ]);
    expect(ask({ method: 'bank_transfer' })).toMatchObject({ method: 'bank_transfer' });
    expect(() => ask({ method: 'cheque' })).toThrow();
    expect(() => ask({ recipient_details: { phone: '+256700123456' } })).toThrow();
  });
});
