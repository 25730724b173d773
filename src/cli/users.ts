import type { Command } from 'commander';
import type { ForgottenResponse, UserPage } from '../api/resources/users/schemas.ts';
import { type Cli, idArgument, type PageOptions, paged, pathWith, withPages } from './cli.ts';
import { CliError } from './connection.ts';
import { minute, table } from './output.ts';
import { confirmed } from './terminal.ts';

const PATH = '/api/admin/users';

/** `users`: the users that payments are made for. `forget`: removes the personal data of one. */
export function addUserCommands(program: Command, { call, show, terminal }: Cli): void {
  const users = program.command('users').description('users that payments are made for');

  withPages(users.command('list'))
    .description('users, newest first')
    .action(async ({ limit, cursor }: PageOptions) => {
      const page = await call<UserPage>('GET', pathWith(PATH, { limit, cursor }));
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

  program
    .command('forget')
    .description('remove the personal data of a user’s ended orders, for good')
    .requiredOption('--user <id>', 'the user', idArgument)
    .option('--yes', 'do not ask')
    .action(async ({ user, yes }: { user: number; yes?: boolean }) => {
      const question = `The name of user ${user}, and the personal data of its ended orders, are removed for good. Continue?`;
      if (!yes && !(await confirmed(terminal, question))) throw new CliError('Nothing was changed.');
      let total = 0;
      for (;;) {
        const answer = await call<ForgottenResponse>('POST', `${PATH}/${user}/forget`, {});
        total += answer.masked;
        // One call does as much as it can while the caller waits.
        if (answer.masked > 0 && answer.waiting > 0) continue;
        show({ ...answer, masked: total }, forgotten);
        return;
      }
    });
}

const forgotten = ({ user_id, masked, waiting, live }: ForgottenResponse): string =>
  [
    `The personal data of ${masked} ended orders of user ${user_id} is removed.`,
    ...(waiting > 0
      ? [`${waiting} more have webhooks that are still being sent: repeat the command in a minute.`]
      : []),
    ...(live > 0
      ? [`${live} live orders keep their recipients: repeat the command when they have ended.`]
      : ['The user has no live orders.']),
  ].join('\n');

const userTable = (users: UserPage['users']): string =>
  table(users, {
    id: ({ id }) => id,
    name: ({ name }) => name,
    'created (UTC)': ({ created_at }) => minute(created_at),
  });
