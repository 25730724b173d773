import type { Command } from 'commander';
import type { ListedLp, LpPage } from '../api/resources/admin-lps/schemas.ts';
import type {
  AddressHoldersResponse,
  ReleaseAddressResponse,
} from '../api/resources/lp-addresses/schemas.ts';
import type { RotateLpResponse } from '../api/resources/lp-keys/schemas.ts';
import { ANY_METHOD } from '../domain/delivery.ts';
import { type Cli, idArgument, numberArgument, type PageOptions, paged, pathWith, withPages } from './cli.ts';
import { CliError } from './connection.ts';
import { facts, minute, table } from './output.ts';

const PATH = '/api/admin/lps';

/** `lps`: the liquidity providers. */
export function addLpCommands(program: Command, { call, show }: Cli): void {
  const lps = program.command('lps').description('liquidity providers');
  const change = async (path: string, body?: object) =>
    show(await call<ListedLp>('POST', `${PATH}/${path}`, body), (lp) => lpTable([lp]));

  withPages(lps.command('list'))
    .description('LPs, newest first')
    .option('--status <status>', 'pending, approved or suspended')
    .action(async ({ limit, cursor, status }: PageOptions & { status?: string }) => {
      const page = await call<LpPage>('GET', pathWith(PATH, { limit, cursor, status }));
      show(page, ({ lps, next_cursor }) => paged(lpTable(lps), next_cursor));
    });

  lps
    .command('terms')
    .description('the terms of an LP in each of its corridors')
    .argument('<id>', 'the LP', idArgument)
    .action(async (id: number) => {
      // The list has descending ids, and a cursor is the previous id.
      const page = await call<LpPage>('GET', pathWith(PATH, { limit: '1', cursor: String(id + 1) }));
      const lp = page.lps.find((listed) => listed.id === id);
      if (!lp) throw new CliError(`There is no LP ${id}.`);
      show(lp.rates, termsTable);
    });

  lps
    .command('approve')
    .description('allow an LP to be quoted and to claim orders')
    .argument('<id>', 'the LP', idArgument)
    .action((id: number) => change(`${id}/approve`));

  lps
    .command('suspend')
    .description('give an LP no new orders; it finishes its own')
    .argument('<id>', 'the LP', idArgument)
    .option('--reason <text>', 'why, for the audit')
    .action((id: number, { reason }: { reason?: string }) => change(`${id}/suspend`, { reason }));

  lps
    .command('address')
    .description('the LPs that receive at an address, the one that holds it first')
    .argument('<chain>', 'such as trx')
    .argument('<address>', 'the address, or an X-address of xrpl')
    .option('--tag <number>', 'its destination tag, on xrpl')
    .action(async (chain: string, address: string, { tag }: { tag?: string }) => {
      const path = pathWith('/api/admin/lp-addresses', { chain, address, destination_tag: tag });
      show(await call<AddressHoldersResponse>('GET', path), ({ lps: holders }) => holderTable(holders));
    });

  lps
    .command('release-address')
    .description('take an address from an LP that another LP has shown to be its own')
    .argument('<id>', 'the LP that loses it', idArgument)
    .argument('<chain>', 'such as trx')
    .argument('<address>', 'the address, or an X-address of xrpl')
    .option('--tag <number>', 'its destination tag, on xrpl', numberArgument)
    .requiredOption('--reason <text>', 'why, for the record')
    .action(async (id: number, chain: string, address: string, { tag, reason }: ReleaseOptions) => {
      const body = { chain, address, destination_tag: tag, reason };
      const path = `${PATH}/${id}/addresses/release`;
      show(await call<ReleaseAddressResponse>('POST', path, body), ({ symbols, free_at }) => {
        const lost = symbols.length > 0 ? `LP ${id} takes no ${symbols.join(', ')} there now.` : '';
        const free = free_at
          ? `Another LP can register the address from ${minute(free_at)} UTC on.`
          : 'An order is still paid there, or another LP has it: see lps address.';
        return [lost, free].filter(Boolean).join(' ');
      });
    });

  lps
    .command('tier')
    .description('set how much collateral an LP locks for an order')
    .argument('<id>', 'the LP', idArgument)
    .argument('<tier>', '0 locks the full value of an order, 4 the least', numberArgument)
    .action((id: number, tier: number) => change(`${id}/tier`, { tier }));

  lps
    .command('rotate')
    .description('give an LP a new secret, shown once; the old one stays valid for the overlap')
    .argument('<id>', 'the LP', idArgument)
    .option('--overlap <duration>', 'such as 24h, or 0s if the old secret has leaked', '24h')
    .action(async (id: number, { overlap }: { overlap: string }) => {
      const body = { overlap: /^\d+$/.test(overlap) ? Number(overlap) : overlap };
      const made = await call<RotateLpResponse>('POST', `${PATH}/${id}/rotate`, body);
      show(made, ({ lp_id, lp_key, warning, old_key_expires_at }) => {
        const shown = facts({ id: lp_id, lp_key, 'old secret ends': `${minute(old_key_expires_at)} UTC` });
        return `${shown}\n\n${warning}.`;
      });
    });

  lps
    .command('forgive')
    .description('forgive an LP its strikes, and end its cool-down')
    .argument('<id>', 'the LP', idArgument)
    .requiredOption('--reason <text>', 'why, for the record')
    .action((id: number, { reason }: { reason: string }) => change(`${id}/forgive`, { reason }));
}

interface ReleaseOptions {
  tag?: number;
  reason: string;
}

const holderTable = (lps: AddressHoldersResponse['lps']): string =>
  table(lps, {
    lp: (lp) => lp.lp_id,
    status: (lp) => lp.status,
    holds: (lp) => (lp.holds ? 'yes' : 'no'),
    tokens: (lp) => lp.symbols.join(', ') || null,
    'free at (UTC)': (lp) => minute(lp.free_at),
  });

const lpTable = (lps: ListedLp[]): string =>
  table(lps, {
    id: (lp) => lp.id,
    name: (lp) => lp.display_name,
    status: (lp) => lp.status,
    tier: (lp) => lp.tier,
    'spread bps': (lp) => lp.spread_bps,
    completed: (lp) => lp.orders_completed,
    'rate %': (lp) => (lp.completion_rate === null ? null : Math.round(lp.completion_rate * 100)),
    'fiat s': (lp) => lp.median_fiat_seconds,
    unclaimed: (lp) => lp.unclaimed_quotes,
    strikes: (lp) => lp.strikes,
    'cooling until (UTC)': (lp) => minute(lp.cooling_down_until),
    'free USD': (lp) => lp.collateral_available,
    'locked USD': (lp) => lp.collateral_locked,
    'rates per USD': (lp) =>
      lp.rates
        .map((terms) => [rateOf(terms), corridorOf(terms), stateOf(terms)].filter(Boolean).join(' '))
        .join(', ') || null,
    'created (UTC)': (lp) => minute(lp.created_at),
  });

type Terms = ListedLp['rates'][number];

const corridorOf = ({ currency, method }: Terms): string =>
  method === ANY_METHOD ? currency : `${currency} ${method}`;
const rateOf = ({ rate_usd }: Terms): string => (rate_usd === null ? '?' : String(rate_usd));

/** Why the terms do not hold now; empty if they do. */
function stateOf({ quoting, rate_usd, valid_until }: Terms): string {
  if (!quoting) return '(stopped)';
  if (rate_usd === null) return '(no price)';
  return Date.parse(valid_until) <= Date.now() ? '(expired)' : '';
}

const termsTable = (rates: Terms[]): string =>
  table(rates, {
    corridor: corridorOf,
    'rate per USD': (terms) => terms.rate_usd,
    'offset bps': (terms) => terms.offset_bps,
    'valid until (UTC)': (terms) => minute(terms.valid_until),
    state: (terms) => stateOf(terms).replace(/[()]/g, '') || 'holds',
    min: (terms) => terms.min,
    max: (terms) => terms.max,
    float: (terms) => terms.float,
    reserved: (terms) => terms.float_reserved,
    'warn below': (terms) => terms.float_low,
    'changed (UTC)': (terms) => minute(terms.updated_at),
  });
