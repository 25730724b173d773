import type { ForgottenResponse, UserPage } from '../api/resources/users/schemas.ts';
import { type Cli, PAGES, page } from './cli.ts';
import { command } from './command.ts';
import { CliError } from './connection.ts';
import { tableOf } from './output.ts';
import { confirmed } from './terminal.ts';

const PATH = '/api/admin/users';

const userTable = tableOf<UserPage['users'][number]>({
  ...{ id: 'id', name: 'name', 'created (UTC)': 'created_at' },
});

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

/** `users`: the users that payments are made for. `forget`: removes the personal data of one. */
export const USER_COMMANDS = [
  command('users list', 'users, newest first', {
    call: `GET ${PATH}`,
    options: PAGES,
    print: page('users', userTable),
  }),
  command('users create', 'create a user', {
    call: `POST ${PATH}`,
    options: { '--name <name>': 'its name' },
    print: ({ id }: { id: number }) => `User ${id} is created.`,
  }),
  command('forget', 'remove the personal data of a user’s ended orders, for good', {
    call: forget,
    options: { '--user <id>!': 'the user', '--yes': 'do not ask' },
    print: forgotten,
  }),
];

async function forget(
  { call, terminal }: Cli,
  { user, yes }: { user: number; yes?: boolean },
): Promise<ForgottenResponse> {
  const question = `The name of user ${user}, and the personal data of its ended orders, are removed for good. Continue?`;
  if (!yes && !(await confirmed(terminal, question))) throw new CliError('Nothing was changed.');
  let total = 0;
  for (;;) {
    const answer = await call<ForgottenResponse>('POST', `${PATH}/${user}/forget`, {});
    total += answer.masked;
    // One call does as much as it can while the caller waits.
    if (answer.masked === 0 || answer.waiting === 0) return { ...answer, masked: total };
  }
}
