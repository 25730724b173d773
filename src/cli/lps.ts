import type { ListedLp, LpPage } from '../api/resources/admin-lps/schemas.ts';
import type {
  AddressHoldersResponse,
  ReleaseAddressResponse,
} from '../api/resources/lp-addresses/schemas.ts';
import type { RotateLpResponse } from '../api/resources/lp-keys/schemas.ts';
import { ANY_METHOD } from '../domain/delivery.ts';
import { type Cli, PAGES, page, pathWith } from './cli.ts';
import { command } from './command.ts';
import { CliError } from './connection.ts';
import { overlapBody } from './key-limits.ts';
import { minute, minuteUtc, secret, tableOf } from './output.ts';

const PATH = '/api/admin/lps';

const holderTable = tableOf<AddressHoldersResponse['lps'][number]>({
  ...{ lp: 'lp_id', status: 'status', holds: 'holds' },
  tokens: (lp) => lp.symbols.join(', ') || null,
  'free at (UTC)': 'free_at',
});

const lpTable = tableOf<ListedLp>({
  ...{ id: 'id', name: 'display_name', status: 'status', tier: 'tier', 'spread bps': 'spread_bps' },
  completed: 'orders_completed',
  'rate %': (lp) => (lp.completion_rate === null ? null : Math.round(lp.completion_rate * 100)),
  ...{ 'fiat s': 'median_fiat_seconds', unclaimed: 'unclaimed_quotes', strikes: 'strikes' },
  'cooling until (UTC)': 'cooling_down_until',
  ...{ 'free USD': 'collateral_available', 'locked USD': 'collateral_locked' },
  'rates per USD': (lp) =>
    lp.rates
      .map((terms) => [rateOf(terms), corridorOf(terms), stateOf(terms)].filter(Boolean).join(' '))
      .join(', ') || null,
  'created (UTC)': 'created_at',
});
const lpRow = (lp: ListedLp): string => lpTable([lp]);

type Terms = ListedLp['rates'][number];

function corridorOf({ currency, method }: Terms): string {
  return method === ANY_METHOD ? currency : `${currency} ${method}`;
}
const rateOf = ({ rate_usd }: Terms): string => (rate_usd === null ? '?' : String(rate_usd));

/** Why the terms do not hold now; empty if they do. */
function stateOf({ quoting, rate_usd, valid_until }: Terms): string {
  if (!quoting) return '(stopped)';
  if (rate_usd === null) return '(no price)';
  return Date.parse(valid_until) <= Date.now() ? '(expired)' : '';
}

const termsTable = tableOf<Terms>({
  ...{ corridor: corridorOf, 'rate per USD': 'rate_usd', 'offset bps': 'offset_bps' },
  'valid until (UTC)': 'valid_until',
  state: (terms) => stateOf(terms).replace(/[()]/g, '') || 'holds',
  ...{ min: 'min', max: 'max', float: 'float', reserved: 'float_reserved', 'warn below': 'float_low' },
  'changed (UTC)': 'updated_at',
});

const ADDRESS = { '<chain>': 'such as trx', '<address>': 'the address, or an X-address of xrpl' };
const TAG = { '--tag <number>': 'its destination tag, on xrpl' };

/** `lps`: the liquidity providers. */
export const LP_COMMANDS = [
  command('lps list', 'LPs, newest first', {
    call: `GET ${PATH}`,
    options: { ...PAGES, '--status <status>': 'pending, approved or suspended' },
    print: page('lps', lpTable),
  }),
  command('lps terms <id>', 'the terms of an LP in each of its corridors', {
    call: async ({ call }: Cli, { id }: { id: number }) => {
      // The list has descending ids, and a cursor is the previous id.
      const { lps } = await call<LpPage>('GET', pathWith(PATH, { limit: 1, cursor: id + 1 }));
      const lp = lps.find((listed) => listed.id === id);
      if (!lp) throw new CliError(`There is no LP ${id}.`);
      return lp.rates;
    },
    print: termsTable,
  }),
  command('lps approve <id>', 'allow an LP to be quoted and to claim orders', {
    call: `POST ${PATH}/:id/approve`,
    print: lpRow,
  }),
  command('lps suspend <id>', 'give an LP no new orders; it finishes its own', {
    call: `POST ${PATH}/:id/suspend`,
    options: { '--reason <text>': 'why, for the audit' },
    print: lpRow,
  }),
  command(
    'lps address <chain> <address>',
    'the LPs that receive at an address, the one that holds it first',
    {
      call: 'GET /api/admin/lp-addresses',
      args: ADDRESS,
      options: TAG,
      print: ({ lps }: AddressHoldersResponse) => holderTable(lps),
    },
  ),
  command(
    'lps release-address <id> <chain> <address>',
    'take an address from an LP that another LP has shown to be its own',
    {
      call: `POST ${PATH}/:id/addresses/release`,
      args: { '<id>': 'the LP that loses it', ...ADDRESS },
      options: { ...TAG, '--reason <text>!': 'why, for the record' },
      print: releasedText,
    },
  ),
  command('lps tier <id> <tier>', 'set how much collateral an LP locks for an order', {
    call: `POST ${PATH}/:id/tier`,
    args: { '<id>': 'the LP', '<tier>': '0 locks the full value of an order, 4 the least' },
    print: lpRow,
  }),
  command('lps rotate <id>', 'give an LP a new secret, shown once; the old one stays valid for the overlap', {
    call: `POST ${PATH}/:id/rotate`,
    options: {
      '--overlap <duration>': { does: 'such as 24h, or 0s if the old secret has leaked', default: '24h' },
    },
    fields: overlapBody,
    print: ({ lp_id, lp_key, warning, old_key_expires_at }: RotateLpResponse) =>
      secret({ id: lp_id, lp_key, 'old secret ends': minuteUtc(old_key_expires_at) }, warning),
  }),
  command('lps forgive <id>', 'forgive an LP its strikes, and end its cool-down', {
    call: `POST ${PATH}/:id/forgive`,
    options: { '--reason <text>!': 'why, for the record' },
    print: lpRow,
  }),
];

function releasedText({ symbols, free_at }: ReleaseAddressResponse, { id }: { id: number }): string {
  const lost = symbols.length > 0 ? `LP ${id} takes no ${symbols.join(', ')} there now.` : '';
  const free = free_at
    ? `Another LP can register the address from ${minute(free_at)} UTC on.`
    : 'An order is still paid there, or another LP has it: see lps address.';
  return [lost, free].filter(Boolean).join(' ');
}
