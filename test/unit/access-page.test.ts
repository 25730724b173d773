import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { PERMISSIONS, type Permission, rolesWith } from '../../src/domain/permissions.ts';

test('docs/access.md has the table of the permissions', () => {
  const page = readFileSync(new URL('../../docs/access.md', import.meta.url), 'utf8');
  const rows = (Object.keys(PERMISSIONS) as Permission[]).map(
    (permission) =>
      `| \`${permission}\` | ${PERMISSIONS[permission]} | ${rolesWith(permission).join(', ')} |`,
  );
  expect(page).toContain(rows.join('\n'));
});
