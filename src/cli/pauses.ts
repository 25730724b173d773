import type { MadePauseView, PauseList, PauseView } from '../api/resources/pauses/schemas.ts';
import { pausedText, pauseScope } from '../domain/pause-scope.ts';
import type { Cli } from './cli.ts';
import { command } from './command.ts';
import { CliError } from './connection.ts';
import { listed, tableOf } from './output.ts';

const PATH = '/api/admin/pauses';

const scopeOf = (what: string) => ({
  '--currency <code>': `${what} in this currency`,
  '--agent <id>': `${what} of this agent key`,
});

const pauseTable = tableOf<PauseView>({
  ...{ paused: pauseScope, 'since (UTC)': 'created_at', why: 'reason' },
});

/** `pause`, `resume` and `pauses`: the stop of new payments and claims. */
export const PAUSE_COMMANDS = [
  command('pause', 'stop new payments and claims immediately; claimed orders continue', {
    call: `POST ${PATH}`,
    options: {
      ...scopeOf('only payments'),
      '--reason <text>!': 'why, for the agents and LPs whose calls are refused',
    },
    print: (made: MadePauseView) => pausedText(made),
  }),
  command('resume', 'end the pause of exactly this scope', { call: resume, options: scopeOf('the pause') }),
  command('pauses', 'the pauses in force', {
    call: `GET ${PATH}`,
    print: ({ pauses }: PauseList) => pauseTable(pauses),
  }),
];

async function resume({ call, show }: Cli, scope: { currency?: string; agent?: number }): Promise<void> {
  const { pauses } = await call<PauseList>('GET', PATH);
  const wanted = pauseScope({
    currency: scope.currency?.toUpperCase() ?? null,
    agent_key_id: scope.agent ?? null,
  });
  const found = pauses.find((pause) => pauseScope(pause) === wanted);
  const others = listed(pauses.filter((pause) => pause !== found).map(pauseScope));
  if (!found) throw new CliError(`There is no pause of ${wanted}. In force: ${others}.`);
  await call('DELETE', `${PATH}/${found.id}`);
  show({ ended: found }, () => `The pause of ${wanted} is over. Still in force: ${others}.`);
}
