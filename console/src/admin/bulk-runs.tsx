import type { BulkPage, BulkRunDetail, BulkRunView } from '../../../src/api/resources/bulk-runs/schemas.ts';
import { BULK_PERMISSION } from '../../../src/domain/bulk.ts';
import { formatMoney, formatUsd } from '../format.ts';
import { readFilters, useList } from '../list-resource.ts';
import { useResource } from '../resource.ts';
import { linkTo, type Route } from '../route.ts';
import { callApi, isPermitted } from '../session.ts';
import { Action } from '../ui/action.tsx';
import { Badge } from '../ui/badge.tsx';
import { Facts } from '../ui/facts.tsx';
import { NewTab } from '../ui/new-tab.tsx';
import { Paging } from '../ui/paging.tsx';
import { ResourceView } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { wordsFor } from '../words.ts';
import { actorText } from './audit-words.ts';

const PATH = 'bulk-runs';
const ROUTE = '/api/admin/bulk-runs';
/** Often enough to follow a run. */
const REFRESH_MS = 2_000;

/** Commands on many orders: all runs, or the one that the address names. */
export function BulkRuns({ route }: { route: Route }) {
  const [id] = route.path;
  return id ? <BulkRun key={id} id={id} /> : <BulkRunList route={route} />;
}

function BulkRunList({ route }: { route: Route }) {
  const filters = readFilters(route, ['cursor']);
  const page = useList<BulkPage>(ROUTE, filters);
  return (
    <ResourceView resource={page} what="the bulk runs">
      {({ bulk_runs, next_cursor }) => (
        <>
          <Table
            caption="Bulk runs, newest first"
            columns={[
              { title: 'Run', cell: ({ id }) => <a href={linkTo(`${PATH}/${id}`)}>{id}</a> },
              { title: 'Action', cell: ({ action }) => wordsFor(action) },
              { title: 'State', cell: ({ state }) => <Badge status={state} /> },
              { title: 'Treated', cell: (run) => <Progress run={run} /> },
              { title: 'Orders', cell: ({ where }) => <code>{where}</code> },
              { title: 'Why', cell: ({ reason }) => reason },
              { title: 'By', cell: ({ created_by }) => actorText(created_by, null) },
              { title: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
            ]}
            rows={bulk_runs}
            keyOf={({ id }) => id}
            empty="There are no bulk runs. “npm run admin -- bulk” makes a dry run and starts it."
          />
          <Paging path={PATH} route={route} filters={filters} next={next_cursor} />
        </>
      )}
    </ResourceView>
  );
}

function BulkRun({ id }: { id: string }) {
  const path = `${ROUTE}/${encodeURIComponent(id)}`;
  const resource = useResource(
    (signal) => callApi<BulkRunDetail>('GET', path, { signal }),
    [path],
    REFRESH_MS,
  );
  const stop = async () => {
    await callApi('POST', `${path}/stop`);
    await resource.reload();
  };
  return (
    <ResourceView resource={resource} what={`bulk run ${id}`}>
      {(run) => (
        <>
          <p>
            <a href={linkTo(PATH)}>All bulk runs</a>
          </p>
          <h2 class="row">
            Bulk run {run.id} <Badge status={run.state} />
          </h2>
          {run.state === 'prepared' && (
            <p class="state">
              Its admin starts it, within 30 minutes of the dry run:{' '}
              <code>npm run admin -- bulk start {run.id}</code>
            </p>
          )}
          <Facts
            sheet
            label={`Bulk run ${run.id}`}
            facts={[
              ['Action', wordsFor(run.action)],
              ['Treated', <Progress key="treated" run={run} />],
              ['Orders', <code key="where">{run.where}</code>],
              ['Why', run.reason],
              ['By', actorText(run.created_by, null)],
              ['Started', run.started_at && <Time at={run.started_at} />],
              ['Stopped by', run.stopped_by && actorText(run.stopped_by, null)],
              ['Workflow', run.workflow_url && <NewTab href={run.workflow_url}>In the Temporal UI</NewTab>],
            ]}
          />
          {['prepared', 'running'].includes(run.state) && isPermitted(BULK_PERMISSION[run.action]) && (
            <p>
              <Action run={stop} successText={`No further order of bulk run ${run.id} is treated.`}>
                Stop
              </Action>
            </p>
          )}
          <Report run={run} />
        </>
      )}
    </ResourceView>
  );
}

const Report = ({ run }: { run: BulkRunDetail }) => (
  <>
    <Table
      caption="What became of the orders"
      columns={[
        { title: 'Outcome', cell: ({ outcome }) => wordsFor(outcome) },
        { title: 'Why', cell: ({ reason }) => (reason ? wordsFor(reason) : '–') },
        { title: 'Orders', kind: 'number', cell: ({ orders }) => orders },
      ]}
      rows={run.outcomes}
      keyOf={({ outcome, reason }) => `${outcome} ${reason}`}
      empty="No order is treated yet."
    />
    <Table
      caption="The first orders that did not change"
      columns={[
        {
          title: 'Order',
          cell: ({ order_id }) => <a href={linkTo(`orders/${order_id}`)}>{order_id}</a>,
        },
        { title: 'Outcome', cell: ({ outcome }) => wordsFor(outcome) },
        { title: 'Why', cell: ({ reason }) => (reason ? wordsFor(reason) : '–') },
      ]}
      rows={run.untouched}
      keyOf={({ order_id }) => order_id}
      empty="None so far."
    />
    <Table
      caption="What the dry run selected"
      columns={[
        { title: 'Currency', cell: ({ currency }) => currency },
        { title: 'Orders', kind: 'number', cell: ({ orders }) => orders },
        {
          title: 'Amount',
          kind: 'number',
          cell: ({ amount_fiat, currency }) => formatMoney(amount_fiat, currency),
        },
        { title: 'USD', kind: 'number', cell: ({ amount_usd }) => formatUsd(amount_usd) },
      ]}
      rows={run.totals}
      keyOf={({ currency }) => currency}
      empty="No order matches the filter."
    />
  </>
);

const Progress = ({ run: { id, treated, orders } }: { run: BulkRunView }) => (
  <span class="row">
    <progress value={treated} max={Math.max(1, orders)} aria-label={`Progress of bulk run ${id}`} />
    {treated} of {orders}
  </span>
);
