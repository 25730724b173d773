import type { ClosedIncidentView, IncidentList, IncidentView } from '../api/resources/incidents/schemas.ts';
import type { Chain } from '../domain/assets.ts';
import { incidentName } from '../domain/incident.ts';
import type { Cli } from './cli.ts';
import { command } from './command.ts';
import { CliError } from './connection.ts';
import { listed, minute, tableOf } from './output.ts';

const PATH = '/api/admin/incidents';

const SCOPE = {
  '--currency <code>': 'the fiat currency',
  '--method <method>': 'only this method of the currency, such as mobile_money',
  '--chain <chain>': 'the chain, instead of a currency',
};

const incidentTable = tableOf<IncidentView>({
  'out of order': incidentName,
  ...{ 'since (UTC)': 'opened_at', by: 'opened_by' },
  'closed (UTC)': closedText,
  why: 'reason',
});

/** `incident open`, `incident close` and `incidents`: a currency, a method or a chain that is out of order. */
export const INCIDENT_COMMANDS = [
  command(
    'incident open',
    'pause payments and claims there, and stop the clocks of the orders that wait for it',
    {
      call: `POST ${PATH}`,
      options: { ...SCOPE, '--reason <text>!': 'why, for the agents and LPs whose calls are refused' },
      print: (made: IncidentView) =>
        `The incident of ${incidentName(made)} is open: payments and claims are paused, and the clocks stand still.`,
    },
  ),
  command(
    'incident close',
    'close the incident of exactly this scope, and move the deadlines by the time lost',
    {
      call: close,
      options: SCOPE,
    },
  ),
  command('incidents', 'the open incidents, and those that were closed last', {
    call: `GET ${PATH}`,
    print: ({ incidents }: IncidentList) => incidentTable(incidents),
  }),
];

function closedText({ closing_at, closed_at }: IncidentView): string | null {
  if (closed_at !== null) return minute(closed_at);
  return closing_at && `closing since ${minute(closing_at)}: close it again, or open it again`;
}

async function close(
  { call, show }: Cli,
  scope: { currency?: string; method?: string; chain?: string },
): Promise<void> {
  const { incidents } = await call<IncidentList>('GET', PATH);
  const open = incidents.filter(({ closed_at }) => closed_at === null);
  const wanted = incidentName({
    currency: scope.currency?.trim().toUpperCase() ?? null,
    method: scope.method?.trim().toLowerCase() ?? null,
    chain: (scope.chain?.trim().toLowerCase() ?? null) as Chain | null,
  });
  const found = open.find((one) => incidentName(one) === wanted);
  const others = listed(open.filter((one) => one !== found).map(incidentName));
  if (!found) {
    const what = wanted === '' ? 'Name the currency or the chain' : `There is no incident of ${wanted}`;
    throw new CliError(`${what}. Open: ${others}.`);
  }
  const closed = await call<ClosedIncidentView>('POST', `${PATH}/${found.id}/close`, {});
  show(
    closed,
    ({ moved }) => `The incident of ${wanted} is over. Deadlines moved: ${moved}. Still open: ${others}.`,
  );
}
