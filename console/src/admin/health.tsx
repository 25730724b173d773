import type { z } from 'zod';
import type { readyResponse } from '../../../src/api/resources/health/schemas.ts';
import type { Overview } from '../../../src/api/resources/overview/schemas.ts';
import { ApiError, call } from '../api.ts';
import { now } from '../clock.ts';
import { formatCount, formatDuration } from '../format.ts';
import { useResource } from '../resource.ts';
import { linkTo, type Route } from '../route.ts';
import { callApi, isPermitted } from '../session.ts';
import { Badge } from '../ui/badge.tsx';
import { Facts } from '../ui/facts.tsx';
import { NotPermitted } from '../ui/permitted.tsx';
import { ResourceView } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { IncidentButton, Incidents } from './incidents.tsx';
import { PauseButton, Pauses } from './pauses.tsx';
import { Throughput } from './throughput.tsx';

type Readiness = z.output<typeof readyResponse>;

const REFRESH_MS = 5_000;

/** The start page of admins: work that waits for them, the components, the orders by status, and the throughput. */
export function Health({ route }: { route: Route }) {
  const readiness = useResource(readReadiness, [], REFRESH_MS);
  const overview = useResource(
    (signal) => callApi<Overview>('GET', '/api/admin/overview', { signal }),
    [],
    REFRESH_MS,
  );
  return (
    <>
      <ResourceView resource={overview} what="the overview">
        {(data) => <Waiting overview={data} />}
      </ResourceView>
      <NotPermitted permission="pauses:manage" />
      {/* Also while the overview cannot be read: then a pause may be urgent. */}
      {isPermitted('pauses:manage') && (
        <p class="row">
          <PauseButton onChanged={overview.reload} />
          <IncidentButton onChanged={overview.reload} />
        </p>
      )}
      {overview.data.value && (
        <>
          <Pauses pauses={overview.data.value.pauses} onChanged={overview.reload} />
          <Incidents incidents={overview.data.value.incidents} onChanged={overview.reload} />
        </>
      )}
      <div class="columns">
        <ResourceView resource={readiness} what="the components">
          {(ready) => <Components readiness={ready} overview={overview.data.value} />}
        </ResourceView>
        {overview.data.value && <OrdersByStatus overview={overview.data.value} />}
      </div>
      <Throughput hours={route.query.get('hours') ?? '3'} />
    </>
  );
}

interface Component {
  name: string;
  isUp: boolean;
  /** How many run; undefined: Corridor does not count them. */
  processes?: number | undefined;
  /** When it was last seen, if it is down and that is known. */
  downSince?: string | null;
}

function Components({
  readiness: { ready, api, database, temporal, worker },
  overview,
}: {
  readiness: Readiness;
  overview: Overview | null;
}) {
  const processes = overview?.processes;
  const reconciler = overview?.reconciler;
  const components: Component[] = [
    { name: 'API', isUp: api, processes: processes?.api },
    { name: 'Database', isUp: database },
    { name: 'Temporal', isUp: temporal },
    { name: 'Worker', isUp: worker, processes: processes?.worker },
    ...(reconciler
      ? [{ name: 'Reconciler', isUp: reconciler.at_work, downSince: reconciler.last_run_at }]
      : []),
  ];
  return (
    <Table
      caption={ready ? 'All components are available' : 'A component is unavailable'}
      columns={[
        { title: 'Component', cell: ({ name }) => name },
        {
          title: 'State',
          cell: ({ isUp, downSince }) => (
            <>
              <span class={`badge ${isUp ? 'good' : 'bad'}`}>{isUp ? 'up' : 'down'}</span>
              {!isUp && downSince && (
                <small>
                  {' '}
                  since <Time at={downSince} />
                </small>
              )}
            </>
          ),
        },
        {
          title: 'Processes',
          kind: 'number',
          cell: ({ processes }) => processes ?? '–',
        },
      ]}
      rows={components}
      keyOf={({ name }) => name}
      empty="No components."
    />
  );
}

const Waiting = ({ overview: { waiting_for_admin: waiting, webhooks } }: { overview: Overview }) => (
  <section class="sheet" aria-label="Waiting for an admin">
    <h2>Waiting for an admin</h2>
    <Facts
      figures
      facts={[
        ['Disputes', <CountLink value={waiting.disputes} to={linkTo('disputes')} />],
        ['Frozen orders', <CountLink value={waiting.frozen_orders} to={linkTo('disputes')} />],
        [
          'LPs to approve',
          <CountLink value={waiting.pending_lps} to={linkTo('lps', { status: 'pending' })} />,
        ],
        [
          'Withdrawals to pay',
          <CountLink
            value={waiting.requested_withdrawals}
            to={linkTo('withdrawals', { status: 'requested' })}
          />,
        ],
        ['Proposals to approve', <CountLink value={waiting.proposals} to={linkTo('approvals')} />],
        [
          'Orders of revoked agents',
          <CountLink value={waiting.revoked_agent_orders} to={linkTo('orders', { revoked_agent: 'true' })} />,
        ],
        [
          'Webhooks not delivered',
          <CountLink value={webhooks.exhausted} to={linkTo('webhooks', { state: 'exhausted' })} />,
        ],
        [
          'Pending webhooks',
          <CountLink value={webhooks.pending} to={linkTo('webhooks', { state: 'pending' })} />,
        ],
      ]}
    />
  </section>
);

const CountLink = ({ value, to }: { value: number; to: string }) => (
  <a href={to} class={value === 0 ? 'none' : undefined}>
    {formatCount(value)}
  </a>
);

const OrdersByStatus = ({ overview: { orders } }: { overview: Overview }) => (
  <Table
    caption="Orders by status"
    columns={[
      {
        title: 'Status',
        cell: ({ status }) => (
          <a href={linkTo('orders', { status })}>
            <Badge status={status} />
          </a>
        ),
      },
      { title: 'Orders', kind: 'number', cell: ({ count }) => formatCount(count) },
      {
        title: 'Oldest, time in this status',
        kind: 'number',
        cell: ({ oldest_at }) => (oldest_at ? formatDuration(now.value - Date.parse(oldest_at)) : '–'),
      },
    ]}
    rows={orders}
    keyOf={({ status }) => status}
    empty="No orders."
  />
);

/** Reads the readiness. A 503 lists the components too, so it is not an error here. */
async function readReadiness(signal: AbortSignal): Promise<Readiness> {
  try {
    return await call<Readiness>('GET', '/readyz', { signal });
  } catch (error) {
    const body = error instanceof ApiError && error.status === 503 ? error.body : undefined;
    if (body && typeof body === 'object' && 'ready' in body) return body as Readiness;
    throw error;
  }
}
