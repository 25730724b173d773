import type { Command } from 'commander';
import type { MadePauseView, PauseList, PauseView } from '../api/resources/pauses/schemas.ts';
import { pausedText, pauseScope } from '../domain/pause-scope.ts';
import { type Cli, idArgument } from './cli.ts';
import { CliError } from './connection.ts';
import { minute, table } from './output.ts';

const PATH = '/api/admin/pauses';

interface ScopeOptions {
  currency?: string;
  agent?: number;
}

/** `pause`, `resume` and `pauses`: the stop of new payments and claims. */
export function addPauseCommands(program: Command, { call, show }: Cli): void {
  const withScope = (command: Command, what: string) =>
    command
      .option('--currency <code>', `${what} in this currency`)
      .option('--agent <id>', `${what} of this agent key`, idArgument);

  withScope(program.command('pause'), 'only payments')
    .description('stop new payments and claims immediately; claimed orders continue')
    .requiredOption('--reason <text>', 'why, for the agents and LPs whose calls are refused')
    .action(async ({ currency, agent, reason }: ScopeOptions & { reason: string }) => {
      const body = { currency, agent_key_id: agent, reason };
      const made = await call<MadePauseView>('POST', PATH, body);
      show(made, pausedText);
    });

  withScope(program.command('resume'), 'the pause')
    .description('end the pause of exactly this scope')
    .action(async ({ currency, agent }: ScopeOptions) => {
      const { pauses } = await call<PauseList>('GET', PATH);
      const wanted = { currency: currency?.toUpperCase() ?? null, agent_key_id: agent ?? null };
      const found = pauses.find((pause) => pauseScope(pause) === pauseScope(wanted));
      const others = pauses.filter((pause) => pause !== found).map(pauseScope);
      if (!found)
        throw new CliError(`There is no pause of ${pauseScope(wanted)}. In force: ${listed(others)}.`);
      await call('DELETE', `${PATH}/${found.id}`);
      show(
        { ended: found },
        () => `The pause of ${pauseScope(found)} is over. Still in force: ${listed(others)}.`,
      );
    });

  program
    .command('pauses')
    .description('the pauses in force')
    .action(async () => show(await call<PauseList>('GET', PATH), ({ pauses }) => pauseTable(pauses)));
}

const listed = (scopes: string[]): string => (scopes.length > 0 ? scopes.join('; ') : 'none');

const pauseTable = (pauses: PauseView[]): string =>
  table(pauses, {
    paused: pauseScope,
    'since (UTC)': (pause) => minute(pause.created_at),
    why: (pause) => pause.reason,
  });
