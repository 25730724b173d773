import type { Command } from 'commander';
import type { ClosedIncidentView, IncidentList, IncidentView } from '../api/resources/incidents/schemas.ts';
import type { Chain } from '../domain/assets.ts';
import { incidentName } from '../domain/incident.ts';
import type { Cli } from './cli.ts';
import { CliError } from './connection.ts';
import { minute, table } from './output.ts';

const PATH = '/api/admin/incidents';

interface ScopeOptions {
  currency?: string;
  method?: string;
  chain?: string;
}

/** `incident open`, `incident close` and `incidents`: a currency, a method or a chain that is out of order. */
export function addIncidentCommands(program: Command, { call, show }: Cli): void {
  const incident = program
    .command('incident')
    .description('say that a currency, a method or a chain is out of order, or works again');
  const withScope = (command: Command) =>
    command
      .option('--currency <code>', 'the fiat currency')
      .option('--method <method>', 'only this method of the currency, such as mobile_money')
      .option('--chain <chain>', 'the chain, instead of a currency');

  withScope(incident.command('open'))
    .description('pause payments and claims there, and stop the clocks of the orders that wait for it')
    .requiredOption('--reason <text>', 'why, for the agents and LPs whose calls are refused')
    .action(async ({ reason, ...scope }: ScopeOptions & { reason: string }) => {
      const made = await call<IncidentView>('POST', PATH, { ...scope, reason });
      show(
        made,
        (view) =>
          `The incident of ${incidentName(view)} is open: payments and claims are paused, and the clocks stand still.`,
      );
    });

  withScope(incident.command('close'))
    .description('close the incident of exactly this scope, and move the deadlines by the time lost')
    .action(async (scope: ScopeOptions) => {
      const { incidents } = await call<IncidentList>('GET', PATH);
      const open = incidents.filter(({ closed_at }) => closed_at === null);
      const wanted = incidentName({
        currency: scope.currency?.trim().toUpperCase() ?? null,
        method: scope.method?.trim().toLowerCase() ?? null,
        chain: (scope.chain?.trim().toLowerCase() ?? null) as Chain | null,
      });
      const found = open.find((one) => incidentName(one) === wanted);
      const others = open.filter((one) => one !== found).map(incidentName);
      if (!found) {
        const what = wanted === '' ? 'Name the currency or the chain' : `There is no incident of ${wanted}`;
        throw new CliError(`${what}. Open: ${listed(others)}.`);
      }
      const closed = await call<ClosedIncidentView>('POST', `${PATH}/${found.id}/close`, {});
      show(
        closed,
        ({ moved }) =>
          `The incident of ${wanted} is over. Deadlines moved: ${moved}. Still open: ${listed(others)}.`,
      );
    });

  program
    .command('incidents')
    .description('the open incidents, and those that were closed last')
    .action(async () =>
      show(await call<IncidentList>('GET', PATH), ({ incidents }) => incidentTable(incidents)),
    );
}

const listed = (scopes: string[]): string => (scopes.length > 0 ? scopes.join('; ') : 'none');

const incidentTable = (incidents: IncidentView[]): string =>
  table(incidents, {
    'out of order': incidentName,
    'since (UTC)': (incident) => minute(incident.opened_at),
    by: (incident) => incident.opened_by,
    'closed (UTC)': closedText,
    why: (incident) => incident.reason,
  });

function closedText({ closing_at, closed_at }: IncidentView): string | null {
  if (closed_at !== null) return minute(closed_at);
  return closing_at && `closing since ${minute(closing_at)}: close it again, or open it again`;
}
