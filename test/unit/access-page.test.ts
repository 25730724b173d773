import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { AGENT_SCOPES } from '../../src/domain/agent-scopes.ts';
import { PERMISSIONS, type Permission, rolesWith } from '../../src/domain/permissions.ts';

const page = readFileSync(new URL('../../docs/access.md', import.meta.url), 'utf8');

test('docs/access.md has the table of the scopes', () => {
  const rows = Object.entries(AGENT_SCOPES).map(([scope, allows]) => `| \`${scope}\` | ${allows} |`);
  expect(page).toContain(rows.join('\n'));
});

test('docs/access.md has the table of the permissions', () => {
  const rows = (Object.keys(PERMISSIONS) as Permission[]).map(
    (permission) =>
      `| \`${permission}\` | ${PERMISSIONS[permission]} | ${rolesWith(permission).join(', ')} |`,
  );
  expect(page).toContain(rows.join('\n'));
});
