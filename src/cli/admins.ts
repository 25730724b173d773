import { type Command, Option } from 'commander';
import type { z } from 'zod';
import type {
  adminKeyResponse,
  adminList,
  ListedAdmin,
  rotateAdminResponse,
  whoamiResponse,
} from '../api/resources/admins/schemas.ts';
import { ROLES, type Role } from '../domain/permissions.ts';
import { withoutNulls } from '../domain/without-nulls.ts';
import { type Cli, idArgument, pathWith } from './cli.ts';
import { CliError } from './connection.ts';
import { type KeyLimitOptions, keyLimitsOf, withKeyLimits } from './key-limits.ts';
import { facts, minute, table } from './output.ts';

const PATH = '/api/admin/admins';

interface SetOptions extends KeyLimitOptions {
  name?: string;
  role?: Role;
}

/** `admins`: the persons who administer the installation. */
export function addAdminCommands(program: Command, { call, show }: Cli): void {
  const admins = program.command('admins').description('persons who administer the installation');

  admins
    .command('list')
    .description('all admins, newest first')
    .action(async () =>
      show(await call<z.output<typeof adminList>>('GET', PATH), (found) => adminTable(found.admins)),
    );

  withKeyLimits(admins.command('add'))
    .description('add a person, and show their key once')
    .requiredOption('--name <name>', 'the person')
    .addOption(new Option('--role <role>', 'what the person may do').choices(ROLES).makeOptionMandatory())
    .action(async (options: SetOptions) => {
      const made = await call<z.output<typeof adminKeyResponse>>('POST', PATH, withoutNulls(bodyOf(options)));
      show(made, ({ warning, ...shown }) => `${facts(shown)}\n\n${warning}.`);
    });

  withKeyLimits(admins.command('set'))
    .description('rename an admin, or change the role, the expiry or the allowed addresses')
    .argument('<id>', 'the admin', idArgument)
    .option('--name <name>', 'the person')
    .addOption(new Option('--role <role>', 'what the person may do').choices(ROLES))
    .action(async (id: number, options: SetOptions) => {
      const body = bodyOf(options);
      if (Object.values(body).every((value) => value === undefined))
        throw new CliError('Nothing to set: see "admins set --help".');
      show(await call<ListedAdmin>('POST', `${PATH}/${id}`, body), (admin) => adminTable([admin]));
    });

  admins
    .command('rotate')
    .description('give an admin a new key, shown once; the old one stays valid for the overlap')
    .argument('<id>', 'the admin', idArgument)
    .option('--overlap <duration>', 'such as 24h, or 0s if the old key has leaked', '24h')
    .action(async (id: number, { overlap }: { overlap: string }) =>
      showRotated(`${PATH}/${id}/rotate`, overlap),
    );

  admins
    .command('rotate-own')
    .description('give yourself a new key, shown once; the old one ends immediately')
    .option('--overlap <duration>', 'such as 24h, if nobody else has seen the old key', '0s')
    .action(async ({ overlap }: { overlap: string }) => showRotated('/api/admin/whoami/rotate', overlap));

  admins
    .command('deactivate')
    .description('end the access of a person for good')
    .argument('<id>', 'the admin', idArgument)
    .option('--reason <text>', 'why, for the audit')
    .action(async (id: number, { reason }: { reason?: string }) => {
      const done = await call('DELETE', pathWith(`${PATH}/${id}`, { reason }));
      show(done, () => `Admin ${id} is deactivated.`);
    });

  program
    .command('whoami')
    .description('show whose key this is, and what it allows')
    .action(async () =>
      show(
        await call<z.output<typeof whoamiResponse>>('GET', '/api/admin/whoami'),
        ({ id, name, role, permissions }) =>
          facts({ id: id ?? 'root', name, role, permissions: permissions.join(', ') }),
      ),
    );

  async function showRotated(path: string, overlap: string): Promise<void> {
    const made = await call<z.output<typeof rotateAdminResponse>>('POST', path, { overlap });
    show(made, ({ id, api_key, warning, old_key_expires_at }) => {
      const shown = facts({ id, api_key, 'old key ends': `${minute(old_key_expires_at)} UTC` });
      return `${shown}\n\n${warning}.`;
    });
  }
}

const bodyOf = ({ name, role, ...limits }: SetOptions) => ({ name, role, ...keyLimitsOf(limits) });

const adminTable = (admins: ListedAdmin[]): string =>
  table(admins, {
    id: (admin) => admin.id,
    name: (admin) => admin.name,
    role: (admin) => admin.role,
    active: (admin) => admin.is_active,
    'expires (UTC)': (admin) => minute(admin.expires_at),
    'allowed addresses': (admin) => admin.allowed_ips?.join(' ') ?? 'all',
    'last used (UTC)': (admin) => minute(admin.last_used_at),
  });
