import { expect, test } from '@jest/globals';
import { mappedRole } from '../../src/domain/mapped-role.ts';
import type { Role } from '../../src/domain/permissions.ts';

const ROLES = new Map<string, Role>([
  ['staff', 'viewer'],
  ['risk team', 'risk'],
  ['leads', 'owner'],
]);

test.each([
  [['staff'], 'viewer'],
  [['risk team', 'staff'], 'risk'],
  [['staff', 'leads', 'risk team'], 'owner'],
  ['staff', 'viewer'],
  [['guests', 'Staff', 'staff ', 'owner'], null],
  [[], null],
  [undefined, null],
  [null, null],
  [{ staff: true }, null],
  [[['leads']], null],
  [['constructor', '__proto__'], null],
])('the groups %j have the role %j', (groups, role) => {
  expect(mappedRole(groups, ROLES)).toBe(role);
});
