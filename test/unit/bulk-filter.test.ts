import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CHAINS } from '../../src/domain/assets.ts';
import { type BulkFilter, parseBulkFilter } from '../../src/domain/bulk-filter.ts';
import { ORDER_STATUSES } from '../../src/domain/order-state.ts';

const NOW = new Date('2026-11-21T15:00:00.000Z');
const parse = (text: string) => parseBulkFilter(text, NOW);
const filterOf = (text: string): BulkFilter => {
  const parsed = parse(text);
  if ('fault' in parsed) throw new Error(parsed.fault);
  return parsed.filter;
};
const faultOf = (text: string): string => {
  const parsed = parse(text);
  return 'fault' in parsed ? parsed.fault : 'no fault';
};

test('all conditions must hold, in any order, and several values of one field are a list', () => {
  expect(
    filterOf('  status=claimed,fiat_sent,claimed currency=kes  agent=3 lp=7,8 chain=trx frozen=no '),
  ).toEqual({
    status: ['claimed', 'fiat_sent'],
    currency: ['KES'],
    agent: [3],
    lp: [7, 8],
    chain: ['trx'],
    frozen: false,
  });
  expect(filterOf('frozen=yes')).toEqual({ frozen: true });
});

test.each<[string, BulkFilter]>([
  ['due<30m', { dueBefore: '2026-11-21T15:30:00.000Z' }],
  ['due>30m', { dueAfter: '2026-11-21T15:30:00.000Z' }],
  // An order that is older than two days was created before the day before yesterday.
  ['created>2d', { createdBefore: '2026-11-19T15:00:00.000Z' }],
  ['created<2h', { createdAfter: '2026-11-21T13:00:00.000Z' }],
  ['created<2026-11-20', { createdBefore: '2026-11-20T00:00:00.000Z' }],
  ['created>2026-11-20T10:00:00+03:00', { createdAfter: '2026-11-20T07:00:00.000Z' }],
  ['due<2026-11-22T00:00Z', { dueBefore: '2026-11-22T00:00:00.000Z' }],
  ['due>0s due<1h', { dueAfter: '2026-11-21T15:00:00.000Z', dueBefore: '2026-11-21T16:00:00.000Z' }],
])('%s is an instant', (text, filter) => {
  expect(filterOf(text)).toEqual(filter);
});

describe('refuses', () => {
  test.each([
    ['', 'is empty: name at least one of status, currency'],
    ['   ', 'is empty'],
    ['satus=claimed', 'has no field "satus": did you mean status?'],
    ['Status=claimed', 'has no field "Status": did you mean status?'],
    ['amount=5', 'has no field "amount": write one of status, currency, agent'],
    ['status=claimd', 'has "claimd", which is not a status: did you mean claimed?'],
    ['status=Claimed', 'did you mean claimed?'],
    ['status=open', 'which is not a status: write one of matched, claimed'],
    ['status=claimed,', 'has "", which is not a status'],
    ['currency=KE', 'has "KE", which is not a code such as KES'],
    ['chain=tron', 'has "tron", which is not a chain'],
    ['chain=trk', 'has "trk", which is not a chain: did you mean trx?'],
    ['agent=0', 'has "0", which is not an id'],
    ['lp=7a', 'has "7a", which is not an id'],
    ['frozen=true', 'has "true", which is not yes or no'],
    ['status<claimed', 'has status<: status takes ='],
    ['due=30m', 'has due=: due takes < or >'],
    ['frozen>yes', 'has frozen>: frozen takes ='],
    ['status=claimed status=matched', 'has status= twice: write several values'],
    ['due<1h due<2h', 'has due< twice'],
    ['status = claimed', 'has "status", which is no condition'],
    ['status=claimed and currency=KES', 'has "and", which is no condition'],
    ['status==claimed', 'has "status==claimed", which is no condition'],
    ['=claimed', 'has "=claimed", which is no condition'],
    ['status=', 'has "status=", which is no condition'],
    ['due<soon', 'has due with "soon": write a duration'],
    ['due<366d', 'has due with "366d"'],
    ['created>2026-11-20T10:00', 'has created with "2026-11-20T10:00"'],
    ['created>2026-13-40', 'has created with "2026-13-40"'],
    ['created>0001-01-01', 'has created with "0001-01-01"'],
    ["currency=KES';drop", 'has "KES\';DROP", which is not a code'],
    [`status=${'x'.repeat(200)}`, `has "${'x'.repeat(40)}…", which is not a status`],
  ])('%j', (text, fault) => {
    expect(faultOf(text)).toContain(fault);
  });
});

test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
  'a name that every object has is no field: %s',
  (name) => {
    expect(faultOf(`${name}=5`)).toContain(`has no field "${name}"`);
  },
);

const list = <Value>(values: fc.Arbitrary<Value>) => fc.uniqueArray(values, { minLength: 1, maxLength: 4 });
const ids = list(fc.integer({ min: 1, max: 999_999_999_999_999 }));
const instants = fc
  .date({ min: new Date('1970-01-01'), max: new Date('9998-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString());
const filters = fc.record<Required<BulkFilter>>(
  {
    status: list(fc.constantFrom(...ORDER_STATUSES)),
    currency: list(fc.stringMatching(/^[A-Z]{3}$/)),
    chain: list(fc.constantFrom(...CHAINS)),
    agent: ids,
    lp: ids,
    frozen: fc.boolean(),
    dueBefore: instants,
    dueAfter: instants,
    createdBefore: instants,
    createdAfter: instants,
  },
  { requiredKeys: [] },
);

/** The filter as a person writes it. */
const WRITTEN: Record<string, (value: unknown) => string> = {
  frozen: (value) => `frozen=${value ? 'yes' : 'no'}`,
  dueBefore: (value) => `due<${value}`,
  dueAfter: (value) => `due>${value}`,
  createdBefore: (value) => `created<${value}`,
  createdAfter: (value) => `created>${value}`,
};
const written = (filter: BulkFilter) =>
  Object.entries(filter).map(
    ([key, value]) => WRITTEN[key]?.(value) ?? `${key}=${(value as unknown[]).join(',')}`,
  );

test('every filter reads back as it was written, whatever the order of its conditions', () => {
  const shuffled = filters.chain((filter) =>
    fc.tuple(
      fc.constant(filter),
      fc.shuffledSubarray(written(filter), { minLength: written(filter).length }),
    ),
  );
  fc.assert(
    fc.property(shuffled, ([filter, words]) => {
      if (words.length === 0) expect(parse('')).toHaveProperty('fault');
      else expect(filterOf(words.join(' '))).toEqual(filter);
    }),
  );
});

test('any text is a filter with at least one condition, or a fault', () => {
  const texts = fc.oneof(fc.string({ maxLength: 60 }), fc.stringMatching(/^[a-z]{2,8}[=<>][a-z0-9,]{0,8}$/));
  fc.assert(
    fc.property(texts, (text) => {
      const parsed = parse(text);
      if ('fault' in parsed) expect(parsed.fault).not.toBe('');
      else expect(Object.keys(parsed.filter).length).toBeGreaterThan(0);
    }),
  );
});
