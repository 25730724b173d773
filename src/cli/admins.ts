import type { z } from 'zod';
import type {
  adminKeyResponse,
  adminList,
  ListedAdmin,
  rotateAdminResponse,
  whoamiResponse,
} from '../api/resources/admins/schemas.ts';
import { ROLES } from '../domain/permissions.ts';
import { withoutNulls } from '../domain/without-nulls.ts';
import { command, fieldsOf } from './command.ts';
import { CliError } from './connection.ts';
import { changesNothing, KEY_LIMITS, nullForNone } from './key-limits.ts';
import { facts, minuteUtc, secret, tableOf } from './output.ts';

const PATH = '/api/admin/admins';
const ROLE = { does: 'what the person may do', choices: ROLES };

const adminTable = tableOf<ListedAdmin>({
  ...{ id: 'id', name: 'name', role: 'role', active: 'is_active', 'expires (UTC)': 'expires_at' },
  'allowed addresses': (admin) => admin.allowed_ips?.join(' ') ?? 'all',
  'last used (UTC)': 'last_used_at',
});

/** The request of `admins set`; `none` is a name like any other. */
function changesOf({ name, ...others }: Record<string, unknown>): object {
  const fields = { name, ...nullForNone(fieldsOf(others)) };
  if (changesNothing(fields)) throw new CliError('Nothing to set: see "admins set --help".');
  return fields;
}

const rotated = ({ id, api_key, warning, old_key_expires_at }: z.output<typeof rotateAdminResponse>) =>
  secret({ id, api_key, 'old key ends': minuteUtc(old_key_expires_at) }, warning);

/** `admins`: the persons who administer the installation. */
export const ADMIN_COMMANDS = [
  command('admins list', 'all admins, newest first', {
    call: `GET ${PATH}`,
    print: ({ admins }: z.output<typeof adminList>) => adminTable(admins),
  }),
  command('admins add', 'add a person, and show their key once', {
    call: `POST ${PATH}`,
    options: { ...KEY_LIMITS, '--name <name>!': 'the person', '--role <role>!': ROLE },
    fields: ({ name, ...others }) => withoutNulls({ name, ...nullForNone(fieldsOf(others)) }),
    print: ({ warning, ...shown }: z.output<typeof adminKeyResponse>) => secret(shown, warning),
  }),
  command('admins set <id>', 'rename an admin, or change the role, the expiry or the allowed addresses', {
    call: `POST ${PATH}/:id`,
    options: { ...KEY_LIMITS, '--name <name>': 'the person', '--role <role>': ROLE },
    fields: changesOf,
    print: (admin: ListedAdmin) => adminTable([admin]),
  }),
  command(
    'admins rotate <id>',
    'give an admin a new key, shown once; the old one stays valid for the overlap',
    {
      call: `POST ${PATH}/:id/rotate`,
      options: {
        '--overlap <duration>': { does: 'such as 24h, or 0s if the old key has leaked', default: '24h' },
      },
      print: rotated,
    },
  ),
  command('admins rotate-own', 'give yourself a new key, shown once; the old one ends immediately', {
    call: 'POST /api/admin/whoami/rotate',
    options: {
      '--overlap <duration>': { does: 'such as 24h, if nobody else has seen the old key', default: '0s' },
    },
    print: rotated,
  }),
  command('admins deactivate <id>', 'end the access of a person for good', {
    call: `DELETE ${PATH}/:id`,
    options: { '--reason <text>': 'why, for the audit' },
    print: (_, { id }) => `Admin ${id} is deactivated.`,
  }),
  command('whoami', 'show whose key this is, and what it allows', {
    call: 'GET /api/admin/whoami',
    print: ({ id, name, role, permissions }: z.output<typeof whoamiResponse>) =>
      facts({ id: id ?? 'root', name, role, permissions: permissions.join(', ') }),
  }),
];
