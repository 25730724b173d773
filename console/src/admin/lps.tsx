import type { ListedLp, LpPage } from '../../../src/api/resources/admin-lps/schemas.ts';
import { ANY_METHOD } from '../../../src/domain/delivery.ts';
import { LP_STATUSES } from '../../../src/domain/lp-status.ts';
import { now } from '../clock.ts';
import { formatCount, formatDuration, formatPercent, formatUsd } from '../format.ts';
import { readFilters, useList } from '../list-resource.ts';
import { linkTo, type Route } from '../route.ts';
import { callApi } from '../session.ts';
import { Action } from '../ui/action.tsx';
import { Badge } from '../ui/badge.tsx';
import { Filters } from '../ui/filters.tsx';
import { Paging } from '../ui/paging.tsx';
import { ifPermitted, NotPermitted } from '../ui/permitted.tsx';
import { ResourceView } from '../ui/states.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { useDialog } from '../ui/use-dialog.ts';
import { wordsFor } from '../words.ts';
import { LpDialog, type LpVerb } from './lp-dialogs.tsx';

const PATH = 'lps';
const ROUTE = '/api/admin/lps';

/** The liquidity providers: their status, terms and record. */
export function Lps({ route }: { route: Route }) {
  const filters = readFilters(route, ['status', 'cursor']);
  const page = useList<LpPage>(ROUTE, filters);
  const { current, opener, close } = useDialog<{ verb: LpVerb; lp: ListedLp }>();
  const change = async (lp: ListedLp, verb: string, body?: object) => {
    await callApi('POST', `${ROUTE}/${lp.id}/${verb}`, body ? { body } : {});
    await page.reload();
  };
  const actions: Column<ListedLp> = {
    title: 'Actions',
    kind: 'actions',
    cell: (lp) => (
      <span class="row">
        {lp.status === 'approved' ? (
          <button type="button" aria-label={`Suspend LP ${lp.id}`} onClick={opener({ verb: 'suspend', lp })}>
            Suspend
          </button>
        ) : (
          <Action
            label={`Approve LP ${lp.id}`}
            successText={`LP ${lp.id} is approved.`}
            run={() => change(lp, 'approve')}
          >
            Approve
          </Action>
        )}
        <button
          type="button"
          aria-label={`Set the tier of LP ${lp.id}`}
          onClick={opener({ verb: 'tier', lp })}
        >
          Tier
        </button>
        {lp.strikes > 0 && (
          <button
            type="button"
            aria-label={`Forgive the strikes of LP ${lp.id}`}
            onClick={opener({ verb: 'forgive', lp })}
          >
            Forgive
          </button>
        )}
      </span>
    ),
  };
  return (
    <>
      <Filters
        path={PATH}
        filters={[{ name: 'status', label: 'Status', values: LP_STATUSES }]}
        values={filters}
      />
      <NotPermitted permission="lps:manage" />
      <ResourceView resource={page} what="the LPs">
        {({ lps, next_cursor }) => (
          <>
            <Table
              caption="LPs, newest first"
              columns={[...COLUMNS, ...ifPermitted('lps:manage', actions)]}
              rows={lps}
              keyOf={({ id }) => id}
              empty="No LPs match. LPs register themselves on the sign-in page, and an admin approves them here."
            />
            <Paging path={PATH} route={route} filters={filters} next={next_cursor} />
          </>
        )}
      </ResourceView>
      {current && <LpDialog {...current} close={close} change={change} />}
    </>
  );
}

/** Terms in a few words, such as `KES by mobile money 129.5`. */
function describeTerms({
  currency,
  method,
  rate_usd,
  valid_until,
  quoting,
}: ListedLp['rates'][number]): string {
  const state = !quoting ? 'stopped' : Date.parse(valid_until) <= now.value ? 'expired' : null;
  const by = method === ANY_METHOD ? '' : ` by ${wordsFor(method)}`;
  return `${currency}${by} ${rate_usd ?? '–'}${state === null ? '' : ` (${state})`}`;
}

const COLUMNS: Column<ListedLp>[] = [
  {
    title: 'LP',
    cell: ({ id, display_name }) => (
      <span class="name">
        <a href={linkTo('orders', { lp_id: id })} title="Show its orders">
          {display_name}
        </a>
        {display_name !== `LP ${id}` && <small class="second">LP {id}</small>}
      </span>
    ),
  },
  {
    title: 'Status',
    cell: ({ status, cooling_down_until }) => (
      <>
        <Badge status={status} />
        {cooling_down_until && (
          <small>
            {' '}
            cooling down until <Time at={cooling_down_until} />
          </small>
        )}
      </>
    ),
  },
  { title: 'Tier', kind: 'number', cell: ({ tier }) => tier },
  {
    title: 'Rates',
    cell: ({ rates }) =>
      rates.length === 0 ? (
        '–'
      ) : (
        <ul class="changes">
          {rates.map((rate) => (
            <li key={`${rate.currency} ${rate.method}`}>{describeTerms(rate)}</li>
          ))}
        </ul>
      ),
  },
  {
    title: 'Completed, rate',
    kind: 'number',
    cell: ({ orders_completed, completion_rate }) => (
      <span>
        {formatCount(orders_completed)}
        {completion_rate !== null && <small class="second">{formatPercent(completion_rate)}</small>}
      </span>
    ),
  },
  {
    title: 'Median time to fiat',
    kind: 'number',
    cell: ({ median_fiat_seconds }) =>
      median_fiat_seconds === null ? '–' : formatDuration(median_fiat_seconds * 1_000),
  },
  {
    title: 'Strikes, unclaimed quotes',
    kind: 'number',
    cell: ({ strikes, unclaimed_quotes }) => (
      <span>
        {strikes}
        <small class="second">{formatCount(unclaimed_quotes)}</small>
      </span>
    ),
  },
  {
    title: 'Available, locked',
    kind: 'number',
    cell: ({ collateral_available, collateral_locked }) => (
      <span>
        {formatUsd(collateral_available)}
        <small class="second">{formatUsd(collateral_locked)}</small>
      </span>
    ),
  },
];
