import { expect, test } from '@jest/globals';
import { withoutNulls } from '../../src/domain/without-nulls.ts';

test('fields that are null are left out, and no others', () => {
  const kept = { name: '', limit: 0, active: false, scopes: [], expiry: undefined };
  expect(withoutNulls({ ...kept, allowed_ips: null })).toStrictEqual(kept);
});
