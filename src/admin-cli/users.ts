import type { Command } from 'commander';
import type { UserPage } from '../api/resources/users/schemas.ts';
import { type Cli, listPath, type PageOptions, paged, withPages } from './cli.ts';
import { minute, table } from './output.ts';

const PATH = '/api/admin/users';

/** `users`: the users that payments are made for. */
export function addUserCommands(program: Command, { call, show }: Cli): void {
  const users = program.command('users').description('users that payments are made for');

  withPages(users.command('list'))
    .description('users, newest first')
    .action(async ({ limit, cursor }: PageOptions) => {
      const page = await call<UserPage>('GET', listPath(PATH, { limit, cursor }));
      show(page, ({ users, next_cursor }) => paged(userTable(users), next_cursor));
    });

  users
    .command('create')
    .description('create a user')
    .option('--name <name>', 'its name')
    .action(async (body: { name?: string }) => {
      const made = await call<{ id: number }>('POST', PATH, body);
      show(made, ({ id }) => `User ${id} is created.`);
    });
}

const userTable = (users: UserPage['users']): string =>
  table(users, {
    id: ({ id }) => id,
    name: ({ name }) => name,
    'created (UTC)': ({ created_at }) => minute(created_at),
  });
