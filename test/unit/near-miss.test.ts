import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { validateBody } from '../../src/api/pipeline/validate.ts';
import { payRequest } from '../../src/api/resources/payments/schemas.ts';
import type { DomainError } from '../../src/domain/errors.ts';
import { nearestNames } from '../../src/domain/near-miss.ts';

const schema = payRequest({ allowHttp: true });
const PAYMENT = { amount: 1295, currency: 'KES', recipient: '+254700123456', user_id: 5 };

function fieldErrors(body: unknown): Record<string, string[] | undefined> {
  try {
    validateBody(schema, body);
    return {};
  } catch (error) {
    return (error as DomainError).details?.fieldErrors ?? {};
  }
}

describe('a key of a body', () => {
  test.each([
    ['callbackUrl', 'callback_url'],
    ['calback_url', 'callback_url'],
    ['callback-url', 'callback_url'],
    ['CALLBACK_URL', 'callback_url'],
    ['callback_ulr', 'callback_url'],
    ['calbackUrl', 'callback_url'],
    ['calback-url', 'callback_url'],
    ['callbackUrls', 'callback_url'],
    ['call_bak_url', 'callback_url'],
    ['recipiant_chek_id', 'recipient_check_id'],
    ['Amount', 'amount'],
    ['userId', 'user_id'],
    ['recipientName', 'recipient_name'],
    ['recipent', 'recipient'],
    ['rateLockId', 'rate_lock_id'],
    ['institutoin', 'institution'],
    ['recipient_detials', 'recipient_details'],
  ])('named %s is refused, and %s is suggested', (key, meant) => {
    expect(fieldErrors({ ...PAYMENT, [key]: 'x' })).toEqual({
      [key]: [`is not a field: did you mean ${meant}?`],
    });
  });

  test.each([
    'status',
    'id',
    'lp_id',
    'memo',
    'note',
    'metadata',
    'reference',
    'x',
    '',
    '__proto__',
    'constructor',
  ])('named %p is ignored', (key) => {
    const body = JSON.parse(JSON.stringify(PAYMENT).replace('{', `{${JSON.stringify(key)}: "x",`));
    expect(fieldErrors(body)).toEqual({});
    expect(Object.keys(validateBody(schema, body))).not.toContain(key);
  });

  test('that is a near miss is named together with the other faults', () => {
    const { amount: _, ...body } = PAYMENT;
    expect(Object.keys(fieldErrors({ ...body, amuont: 1, calback_url: 'x' })).sort()).toEqual([
      'amount',
      'amuont',
      'calback_url',
    ]);
  });

  test('is fast, however many and however long keys are', () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`calback_ur${i}`, 1]));
    expect(Object.keys(fieldErrors({ ...PAYMENT, ...many })).length).toBeLessThanOrEqual(100);
    expect(fieldErrors({ ...PAYMENT, [`callback${'_'.repeat(60_000)}url`]: 1 })).toEqual({});
  });

  test('a body that is not an object has no near misses', () => {
    for (const body of [null, [], 'text', 1]) expect(() => validateBody(schema, body)).toThrow();
    expect(validateBody(z.array(z.string()), ['calback_url'])).toEqual(['calback_url']);
  });
});

test('a short name has no near misses, and a long one has two edits', () => {
  expect(nearestNames('chian', ['chain'])).toEqual([]);
  expect(nearestNames('amuont', ['amount', 'account'])).toEqual(['amount']);
  expect(nearestNames('recipiant_datails_x', ['recipient_details_x'])).toEqual(['recipient_details_x']);
  expect(nearestNames('recipiant_datails', ['recipient_details'])).toEqual([]);
});
