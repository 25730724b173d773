import type { z } from 'zod';
import type { readyResponse } from '../../../src/contract/health.ts';
import type { Overview } from '../../../src/contract/overview.ts';
import { ApiError, call } from '../api.ts';
import { now } from '../clock.ts';
import { count, duration, time } from '../format.ts';
import { useResource } from '../resource.ts';
import { linkTo, type Place } from '../route.ts';
import { ask } from '../session.ts';
import { Badge } from '../ui/badge.tsx';
import { Read } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Throughput } from './throughput.tsx';

type Readiness = z.output<typeof readyResponse>;

const LOOK_EVERY_MS = 5_000;

/** What an admin looks at first: whether all is there, what waits for people, where the orders stand, how they come along. */
export function Health({ place }: { place: Place }) {
  const readiness = useResource(readReadiness, [], LOOK_EVERY_MS);
  const overview = useResource(
    (signal) => ask<Overview>('GET', '/api/admin/overview', { signal }),
    [],
    LOOK_EVERY_MS,
  );
  return (
    <>
      <Read resource={overview} what="what waits for you">
        {(seen) => <Waiting overview={seen} />}
      </Read>
      <div class="columns">
        <Read resource={readiness} what="the state of the service">
          {(parts) => <Parts parts={parts} overview={overview.data.value} />}
        </Read>
        {overview.data.value && <Standing overview={overview.data.value} />}
      </div>
      <Throughput hours={place.query.get('hours') ?? '3'} />
    </>
  );
}

const PARTS: Record<string, string> = {
  api: 'API',
  database: 'Database',
  temporal: 'Temporal',
  worker: 'Worker',
};

function Parts({ parts: { ready, ...parts }, overview }: { parts: Readiness; overview: Overview | null }) {
  const processes = overview?.processes;
  return (
    <Table
      caption={ready ? 'Everything that an order needs is there' : 'Something that an order needs is away'}
      columns={[
        { title: 'Part', cell: ([name]) => PARTS[name] ?? name },
        {
          title: 'State',
          cell: ([, there]) => (
            <span class={`badge ${there ? 'good' : 'bad'}`}>{there ? 'there' : 'away'}</span>
          ),
        },
        {
          title: 'Processes',
          kind: 'number',
          cell: ([name]) =>
            processes && name in processes ? processes[name as keyof typeof processes] : '–',
        },
      ]}
      rows={Object.entries(parts)}
      keyOf={([name]) => name}
      empty="Nothing is known."
    />
  );
}

const Waiting = ({
  overview: { waiting_for_admin: waiting, webhooks, reconciler },
}: {
  overview: Overview;
}) => (
  <dl class="facts sheet" aria-label="What waits">
    <Fact name="Disputes" value={waiting.disputes} to={linkTo('disputes')} />
    <Fact name="LPs to approve" value={waiting.pending_lps} to={linkTo('lps', { status: 'pending' })} />
    <Fact
      name="Withdrawals to pay"
      value={waiting.requested_withdrawals}
      to={linkTo('withdrawals', { status: 'requested' })}
    />
    <Fact
      name="Webhooks given up"
      value={webhooks.exhausted}
      to={linkTo('webhooks', { state: 'exhausted' })}
    />
    <Fact name="Webhooks being sent" value={webhooks.pending} to={linkTo('webhooks', { state: 'pending' })} />
    <div>
      <dt>Reconciler</dt>
      <dd>
        {reconciler.at_work ? 'at work' : <span class="loss">not at work</span>}
        {!reconciler.at_work && reconciler.last_run_at && (
          <small> since {time(reconciler.last_run_at)}</small>
        )}
      </dd>
    </div>
  </dl>
);

const Fact = ({ name, value, to }: { name: string; value: number; to: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <a href={to}>{count(value)}</a>
    </dd>
  </div>
);

const Standing = ({ overview: { orders } }: { overview: Overview }) => (
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
      { title: 'Orders', kind: 'number', cell: (standing) => count(standing.count) },
      {
        title: 'The oldest has stood there for',
        kind: 'number',
        cell: ({ oldest_at }) => (oldest_at ? duration(now.value - Date.parse(oldest_at)) : '–'),
      },
    ]}
    rows={orders}
    keyOf={({ status }) => status}
    empty="There is no status."
  />
);

/** What is not ready says what is missing, with a 503. */
async function readReadiness(signal: AbortSignal): Promise<Readiness> {
  try {
    return await call<Readiness>('GET', '/readyz', { signal });
  } catch (error) {
    const body = error instanceof ApiError && error.status === 503 ? error.body : undefined;
    if (body && typeof body === 'object' && 'ready' in body) return body as Readiness;
    throw error;
  }
}
